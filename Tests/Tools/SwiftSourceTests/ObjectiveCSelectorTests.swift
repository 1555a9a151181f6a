import SwiftSource
import Testing

/// What methods are called in Objective-C, as the compiler says in headers that it generates.
@Suite struct ObjectiveCSelectorTests {
    @Test(arguments: [
        ("save", [], "save"),
        ("didSave", ["_"], "didSave:"),
        ("save", ["note"], "saveWithNote:"),
        ("initial", ["of"], "initialOf:"),
        ("convert", ["from", "to"], "convertFrom:to:"),
        ("convertFrom", ["value", "_"], "convertFromValue::"),
        ("title", ["forNote", "in"], "titleForNote:in:"),
        ("place", ["atlas"], "placeWithAtlas:"),
        ("insert", ["URL"], "insertWithURL:"),
    ])
    func namesAreThoseOfTheCompiler(method: String, labels: [String], selector: String) {
        #expect(ObjectiveCSelector.name(method, labels) == selector)
    }
}
