import Markup
import Testing

@Suite struct MarkupReaderTests {
    private func read(_ text: String) throws -> MarkupElement {
        try MarkupReader.read(Array(text.utf8))
    }
    private func error(_ bytes: [UInt8]) -> MarkupError? {
        do throws(MarkupError) {
            _ = try MarkupReader.read(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func elementsAttributesAndTextAreRead() throws {
        let root = try read(
            """
            \u{FEFF}<?xml version="1.0"?>
            <!DOCTYPE plist PUBLIC "-//A>//DTD" "http://example.com/x.dtd">
            <!-- <a> -->
            <a x = "1 &lt;&#65;&#x1F600;&amp;
            y" z='"'><b/>t&gt;<b.c-d ä="ö"></b.c-d ><![CDATA[<raw>]]></a>
            <!-- end -->
            """
        )
        #expect(root.name == "a" && root.line == 4)
        #expect(root["x"] == "1 <A😀& y" && root["z"] == "\"")
        #expect(root.children.map(\.name) == ["b", "b.c-d"])
        #expect(root.children[1]["ä"] == "ö" && root.children[1].line == 5)
        #expect(root.text == "t><raw>")
    }

    @Test(arguments: [
        "", "  ", "<", "<a", "<a ", "<a x", "<a x=", "<a x=\"", "<a x=\"1\"", "<a>", "<a></",
        "<a></b>",
        "<a></a", "</a>", "<a/><b/>", "x<a/>", "<a/>x", "<a x='1' x='2'/>", "<a x='1'y='2'/>",
        "<a x=1/>", "<a x='<'/>", "<a>&</a>", "<a>&lt</a>", "<a>&unknown;</a>", "<a>&#0;</a>",
        "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#xFFFF;</a>", "<a>&#99999999999;</a>",
        "<a>&#;</a>",
        "<a>&#+65;</a>", "<a>\u{1}</a>", "<a x='\u{0}'/>", "<!-- <a/>", "<a><![CDATA[</a>",
        "<?xml <a/>",
        "<!DOCTYPE a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a/><!DOCTYPE a>", "<1a/>",
        "< a/>",
        "<a><!ELEMENT b></a>", "<![CDATA[x]]><a/>",
    ])
    func whatIsNotWellFormedIsAnError(text: String) {
        #expect(error(Array(text.utf8)) != nil)
    }

    @Test func errorsNameTheLine() {
        #expect(error(Array("<a>\n<b>\n</c></a>".utf8))?.line == 3)
        #expect(error(Array("<a>\n\n".utf8))?.message == "the document ends inside the element <a>")
    }

    @Test func badUTF8IsRefused() {
        #expect(
            error(Array("<a>".utf8) + [0xC3, 0x28] + Array("</a>".utf8))?.message.contains("UTF-8")
                == true
        )
        #expect(error([0xFF, 0xFE, 0x3C, 0x00])?.message.contains("UTF-8") == true)
    }

    @Test func depthCountAndSizeAreBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth))
                    .utf8
            )
        }
        #expect(error(nested(128)) == nil)
        #expect(error(nested(129))?.message.contains("128 deep") == true)
        #expect(error(Array(repeating: UInt8(ascii: "<"), count: 1_000_000)) != nil)
        let many = "<a>" + String(repeating: "<b/>", count: 100_000) + "</a>"
        #expect(error(Array(many.utf8))?.message.contains("100000 elements") == true)
        #expect(
            error(Array(repeating: 0x20, count: (16 << 20) + 1))?.message.contains("16 MiB") == true
        )
    }

    /// Every prefix of a document, and every document with one byte changed, gives an error or an
    /// element, and never ends the process.
    @Test func damagedDocumentsNeverCrash() {
        let whole = Array(
            "<?xml?><!--c--><a x='&lt;1' y=\"&#65;\"><b>t<![CDATA[r]]></b><c/></a>".utf8
        )
        for end in 0..<whole.count { #expect(error(Array(whole[..<end])) != nil) }
        var generator = SystemRandomNumberGenerator()
        for index in whole.indices {
            for byte: UInt8 in [
                0, 0x20, 0x22, 0x26, 0x27, 0x2F, 0x3C, 0x3E, 0x80, 0xFF, generator.next(),
            ] {
                var damaged = whole
                damaged[index] = byte
                _ = error(damaged)
            }
        }
    }
}
