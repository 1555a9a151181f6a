import CoreData
import TestSupport

/// Six people in three departments, for tests of requests for dictionaries.
///
/// | name | entity | age | height | balance | department |
/// | --- | --- | --- | --- | --- | --- |
/// | Ann | Person | 30 | 1.5 | 1.25 | A |
/// | Bob | Person | 30 | nil | 2.5 | A |
/// | Cleo | Employee | 40 | 1.75 | 0.25 | B |
/// | Dan | Person | nil | 2.0 | nil | B |
/// | Eve | Manager | 20 | 1.0 | -4 | nil |
/// | Finn | Person | 50 | nil | nil | A |
enum Staff {
    /// Fills the store of a context and saves it.
    static func fill(_ context: NSManagedObjectContext) throws {
        let first = context.make("Department", ["name": "A", "code": 1])
        let second = context.make("Department", ["name": "B", "code": 2])
        context.make("Department", ["name": "C"])
        add(context, "Person", "Ann", 30, 1.5, "1.25", first)
        add(context, "Person", "Bob", 30, nil, "2.5", first)
        add(context, "Employee", "Cleo", 40, 1.75, "0.25", second)
        add(context, "Person", "Dan", nil, 2, nil, second)
        add(context, "Manager", "Eve", 20, 1, "-4", nil)
        add(context, "Person", "Finn", 50, nil, nil, first)
        try context.save()
    }

    private static func add(
        _ context: NSManagedObjectContext,
        _ entity: String,
        _ name: String,
        _ age: Int?,
        _ height: Double?,
        _ balance: String?,
        _ department: NSManagedObject?
    ) {
        let person = context.make(entity, ["name": name])
        person.setValue(age, forKey: "age")
        person.setValue(height, forKey: "height")
        person.setValue(balance.map { NSDecimalNumber(string: $0) }, forKey: "balance")
        person.setValue(department, forKey: "department")
    }
}

/// Runs a body with a context whose store holds the staff.
func withStaff(_ kind: StoreKind, _ body: (NSManagedObjectContext) throws -> Void) throws {
    try withContext(kind) { context throws in
        try Staff.fill(context)
        try body(context)
    }
}

/// A request for dictionaries.
func dictionaryRequest(
    _ properties: [Any]?,
    of entity: String = "Person",
    sortedBy key: String? = nil
) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: entity)
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = properties
    request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
    return request
}

/// A computed column.
func computed(
    _ name: String,
    _ expression: NSExpression,
    _ type: NSAttributeType
) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = name
    description.expression = expression
    description.expressionResultType = type
    return description
}

/// A function of a key path, as a column of its name.
func aggregate(
    _ function: String,
    of path: String,
    _ type: NSAttributeType
) -> NSExpressionDescription {
    computed(
        function,
        NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: path)]),
        type
    )
}

extension NSDictionary {
    func text(_ key: String) -> String? { self[key] as? String }
    func integer(_ key: String) -> Int? { self[key] as? Int }
    func real(_ key: String) -> Double? { self[key] as? Double }
}
