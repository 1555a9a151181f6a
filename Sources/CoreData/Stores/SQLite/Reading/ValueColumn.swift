import CSQLite
import Foundation

/// A column of a dictionary fetch: what is selected, and how its values are read.
struct ValueColumn {
    private enum Content {
        case constant(Any?)
        /// An attribute's value, or a computed one of a known type.
        case attribute(StorageKind, isExternal: Bool)
        /// A computed value of the type that SQLite gives.
        case natural(SQLType)
        /// The elements of a composite, each a column.
        case composite(CompositeLayout, [String?])
        /// Key and entity number of a row.
        case reference(EntityLayout)
    }
    private let content: Content
    /// Nil for what needs no column.
    let selection: SQLFragment?

    init(
        _ column: ColumnPlan.Column,
        _ plan: FetchPlan,
        _ translator: PredicateTranslator,
        _ schema: StoreSchema
    ) throws {
        switch column {
        case .objectID:
            content = .reference(plan.layout)
            selection = SQLFragment("\(RowPlan.alias).Z_PK, \(RowPlan.alias).Z_ENT")
        case .keyPath(let path):
            if let slot = plan.layout.slot(named: path), let composite = slot.composite {
                let names = schema.columns(plan.layout, slot.index).elements
                content = .composite(composite, names)
                // Elements that the table lacks are not selected, and take no place when the value
                // is read.
                let list = names.compactMap(\.self).map { "\(RowPlan.alias).\(SQLName.quoted($0))" }
                selection = list.isEmpty ? nil : SQLFragment(list.joined(separator: ", "))
                return
            }
            // Not by the public initializer, which takes a property called self for the object.
            let value = NSExpression(.keyPath(operand: nil, path: path))
            let operand = try translator.operand(value)
            self = try ValueColumn(operand, Self.slot(path, plan.layout, schema), schema)
        case .expression(let expression, let type):
            let operand = try translator.operand(expression)
            // The request says no type to read a value as: that of the property is taken whose
            // values these are, or what SQLite gives, or a reference as one.
            if type == .undefinedAttributeType || type == .objectIDAttributeType {
                self = try ValueColumn(operand, Self.slot(expression, plan.layout, schema), schema)
            } else if case .sql(let sql, _) = operand {
                content = .attribute(StorageKind(type), isExternal: false)
                selection = sql
            } else {
                self = try ValueColumn(operand, nil, schema)
            }
        }
    }

    private init(_ operand: SQLOperand, _ slot: PropertySlot?, _ schema: StoreSchema) throws {
        switch operand {
        case .constant(let value):
            content = .constant(value.anyValue)
            selection = nil
        case .sql(let sql, .reference(let rootIndex)):
            let layout =
                slot.map { schema.model.entities[$0.destinationIndex] }
                ?? schema.model.entities[rootIndex]
            content = .reference(layout)
            // The destination's row says of which entity it is.
            let table = SQLName.quoted(schema.table(rootIndex: rootIndex))
            selection = sql + ", (SELECT e.Z_ENT FROM \(table) e WHERE e.Z_PK = " + sql + ")"
        case .sql(let sql, let type):
            selection = sql
            if let slot {
                content = .attribute(slot.kind, isExternal: slot.allowsExternalStorage)
            } else {
                content = .natural(type)
            }
        }
    }

    /// The property whose values an expression gives; nil if it works out others.
    private static func slot(
        _ expression: NSExpression,
        _ layout: EntityLayout,
        _ schema: StoreSchema
    ) -> PropertySlot? {
        switch expression.node {
        case .keyPath(nil, let path): return slot(path, layout, schema)
        case .function(let name, let arguments) where arguments.count == 1:
            // The least and the greatest of values is one of them.
            let function = QueryFunction(rawValue: name)
            guard function == .minimum || function == .maximum else { return nil }
            return slot(arguments[0], layout, schema)
        default: return nil
        }
    }

    /// The property that a key path ends at; nil if it ends at something computed.
    private static func slot(
        _ path: String,
        _ layout: EntityLayout,
        _ schema: StoreSchema
    ) -> PropertySlot? {
        var layout: EntityLayout? = layout
        var result: PropertySlot?
        for key in path.split(separator: ".") where key != "@min" && key != "@max" {
            guard let slot = layout?.slot(named: String(key)) else { return nil }
            result = slot
            // The elements of a composite are no properties of the entity.
            layout = slot.isRelationship ? schema.model.entities[slot.destinationIndex] : nil
        }
        return result
    }

    /// Reads the value and moves `index` behind it.
    func value(
        _ statement: SQLiteStatement,
        _ index: inout Int32,
        _ schema: StoreSchema,
        _ file: StoreFile
    ) throws -> Any? {
        let place = index
        switch content {
        case .constant(let value): return value
        case .composite(let composite, let names):
            let values = zip(composite.elements, names).map { element, name -> SlotValue in
                guard name != nil else { return .null }
                defer { index += 1 }
                return statement.isNull(index) ? .null : statement.slotValue(element.kind, index)
            }
            return values.allSatisfy(\.isNull) ? nil : composite.dictionary(of: values)
        case .reference(let layout):
            index += 2
            let key = statement.integer(place)
            // NULL, too, reads as 0.
            guard key >= 1, key <= RowReference.maximumPrimaryKey else { return nil }
            let entity = schema.layoutIndex(ofNumber: statement.integer(place + 1))
            if let entity, layout.contains(entity) {
                return RowReference(entityIndex: entity, primaryKey: key)
            }
            // A table of one entity has no other; where there is no row there is no number.
            guard layout.isRoot, !layout.hasSubentities, !statement.isNull(place + 1) else {
                return nil
            }
            return RowReference(entityIndex: layout.index, primaryKey: key)
        case .attribute(let kind, let isExternal):
            index += 1
            guard !statement.isNull(place) else { return nil }
            if isExternal { return try ExternalValue.decode(statement.bytes(place), file: file) }
            return kind.anyValue(statement.slotValue(kind, place))
        case .natural(let type):
            index += 1
            let value = statement.columnValue(place)
            if case .scalar(let kind) = type { return kind.anyValue(value) }
            return UndefinedKind.plainValue(value)
        }
    }
}

extension SQLiteStatement {
    /// A column's value as one of a kind; null where it is damaged.
    func slotValue(_ kind: StorageKind, _ column: Int32) -> SlotValue {
        if let converting = AttributeKinds.kind(of: kind), converting.convertsColumn {
            return converting.stored(ofColumn: columnValue(column)) ?? .null
        }
        return switch kind.form {
        case .integer, .boolean: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(text(column))
        case .bytes: .bytes(bytes(column))
        case .reference, .members, .volatile: .null
        }
    }

    /// A column's value of the type that SQLite gives.
    func columnValue(_ column: Int32) -> SlotValue {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
    }
}
