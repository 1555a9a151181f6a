import Foundation

/// Where a key path leads.
enum SQLPath {
    case value(SQLFragment, SQLType, throughPrimaryKey: String?)
    case collection(SQLCollection)
    /// A collection, then an operator over what its elements lead to.
    case aggregate(SQLCollection, KeyPathSteps.CollectionOperator)
    /// A to-one path and an operator: `a.@count` of something that is no collection.
    case misplacedOperator
}

extension PredicateTranslator {
    func column(_ name: String, of object: SQLObject) -> String {
        "\(alias(of: object)).\(SQLName.quoted(name))"
    }

    /// The alias of an object's table, joined if it is not yet.
    private func alias(of object: SQLObject) -> String {
        if let alias = object.alias { return alias }
        // A missing row must not take the fetched row with it, but counts as nil. In a collection
        // there is no element without its row.
        let kind = object.isInner ? "JOIN" : "LEFT JOIN"
        let table = SQLName.quoted(naming.table(rootIndex: object.layout.rootIndex))
        // The key is all that the join depends on: paths by way of the same row share it.
        return object.scope.alias(for: "\(kind) \(table) \(object.primaryKey)") {
            let alias = nextAlias()
            return (alias, "\(kind) \(table) \(alias) ON \(alias).Z_PK = \(object.primaryKey)")
        }
    }

    /// Follows a key path from a row.
    func follow(_ path: KeyPathSteps, from start: SQLObject) throws -> SQLPath {
        var object = start
        var collection: SQLScope?
        var steps = path.steps
        var operation: KeyPathSteps.CollectionOperator?
        // The operator is applied last, whatever keys follow it: `books.@sum.price`.
        if let index = steps.firstIndex(where: { if case .key = $0 { false } else { true } }),
            case .collectionOperator(let found) = steps[index]
        {
            operation = found
            steps.remove(at: index)
        }
        var throughPrimaryKey: String?
        var end: SQLPath?
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            guard case .key(let step) = step else {
                throw QueryError.unsupported(
                    "unsupported key path \(path.path): it has two collection operators."
                )
            }
            let key = step.name
            // A property of such a name goes before what the object says of itself.
            let isOwn = object.layout.slot(named: key) == nil
            if isOwn, key == "objectID", !isLast {
                throw QueryError.unsupported(
                    "keypath \(path.path) is not possible: an object ID has no keys."
                )
            }
            if isOwn, key == "self" || key == "SELF" || key == "objectID" { continue }
            if isOwn, key == "entity", isLast {
                let value = SQLFragment("\(alias(of: object)).Z_ENT")
                end = finish(value, .entity, nil, collection, throughPrimaryKey)
                continue
            }
            // Transient properties have no column, so that a store can't answer what asks for them.
            guard let slot = object.layout.slot(named: key), slot.kind != .volatile else {
                throw QueryError.unknownKey(path.path, entity: object.layout.name)
            }
            if slot.isToMany {
                let inner = enter(slot, of: object, in: collection)
                collection = inner.scope
                object = inner
            } else if slot.isToOne {
                let name = naming.column(slot, in: object.layout)
                // For ALL and ANY, which take nil on the way for an empty collection.
                if !isLast { throughPrimaryKey = column(name, of: object) }
                // No join yet: a path that ends at the to-one needs its key only, which the row at
                // hand has.
                object = SQLObject(
                    scope: object.scope,
                    layout: model.entities[slot.destinationIndex],
                    primaryKey: column(name, of: object),
                    alias: nil,
                    isInner: collection != nil
                )
            } else if isLast {
                let name = naming.column(slot, in: object.layout)
                let value = SQLFragment(column(name, of: object))
                let type = SQLType(slot, rootIndex: object.layout.rootIndex)
                end = finish(value, type, nil, collection, throughPrimaryKey)
            } else if let composite = slot.composite {
                let (name, kind) = try element(composite, slot, steps[(index + 1)...], path, object)
                let value = SQLFragment(column(name, of: object))
                end = finish(value, SQLType(kind), nil, collection, throughPrimaryKey)
                // The composite has used up the rest of the path.
                break
            } else {
                throw QueryError.unknownKey(path.path, entity: object.layout.name)
            }
        }
        let reached =
            end
            ?? finish(
                SQLFragment(object.primaryKey),
                .reference(rootIndex: object.layout.rootIndex),
                object,
                collection,
                throughPrimaryKey
            )
        guard let operation else { return reached }
        guard case .collection(let values) = reached else { return .misplacedOperator }
        return .aggregate(values, operation)
    }

    /// The column of the element of a composite that the rest of a path leads to.
    private func element(
        _ composite: CompositeLayout,
        _ slot: PropertySlot,
        _ rest: ArraySlice<KeyPathSteps.Step>,
        _ path: KeyPathSteps,
        _ object: SQLObject
    ) throws -> (column: String, kind: StorageKind) {
        let keys = rest.compactMap { step -> String? in
            if case .key(let key) = step { key.name } else { nil }
        }
        guard keys.count == rest.count, let index = composite.index(of: keys),
            let column = naming.column(slot, element: index, in: object.layout)
        else { throw QueryError.unknownKey(path.path, entity: object.layout.name) }
        return (column, composite.elements[index].kind)
    }

    private func finish(
        _ value: SQLFragment,
        _ type: SQLType,
        _ object: SQLObject?,
        _ collection: SQLScope?,
        _ throughPrimaryKey: String?
    ) -> SQLPath {
        guard let collection else {
            return .value(value, type, throughPrimaryKey: throughPrimaryKey)
        }
        // The element may be the subject of a subquery, where a missing row counts as nil again.
        var element = object
        element?.isInner = false
        return .collection(
            SQLCollection(scope: collection, element: value, type: type, object: element)
        )
    }

    /// The rows of a to-many relationship: a new subquery, or a join inside one.
    private func enter(
        _ slot: PropertySlot,
        of owner: SQLObject,
        in collection: SQLScope?
    ) -> SQLObject {
        let layout = model.entities[slot.destinationIndex]
        let table = SQLName.quoted(naming.table(rootIndex: layout.rootIndex))
        let alias = nextAlias()
        let scope: SQLScope
        switch naming.toMany(slot, in: owner.layout) {
        case .foreignKey(let column):
            let tie = "\(alias).\(SQLName.quoted(column)) = \(owner.primaryKey)"
            if let collection {
                // A second to-many joins the first one's rows in the same subquery, so that the
                // path has the elements of all of them and an aggregate counts each.
                collection.append(join: "JOIN \(table) \(alias) ON \(tie)")
                scope = collection
            } else {
                scope = SQLScope(from: "\(table) \(alias)", correlation: tie)
            }
        case .joinTable(let name, let ownerColumn, let destinationColumn):
            let link = nextAlias()
            // The destination's table is joined even where the links alone would do: a link to a
            // row that is not there is no element.
            let tie = "\(link).\(SQLName.quoted(ownerColumn)) = \(owner.primaryKey)"
            let join =
                "JOIN \(table) \(alias) ON \(alias).Z_PK = "
                + "\(link).\(SQLName.quoted(destinationColumn))"
            if let collection {
                collection.append(join: "JOIN \(SQLName.quoted(name)) \(link) ON \(tie)")
                scope = collection
            } else {
                scope = SQLScope(from: "\(SQLName.quoted(name)) \(link)", correlation: tie)
            }
            scope.append(join: join)
        }
        return SQLObject(
            scope: scope,
            layout: layout,
            primaryKey: "\(alias).Z_PK",
            alias: alias,
            isInner: true
        )
    }

    /// Where an expression leads, if it is a path: from the fetched row, from a subquery's
    /// variable, or from the elements of a subquery.
    func path(_ expression: NSExpression) throws -> SQLPath? {
        switch expression.node {
        case .evaluatedObject:
            return .value(
                SQLFragment(root.primaryKey),
                .reference(rootIndex: root.layout.rootIndex),
                throughPrimaryKey: nil
            )
        case .variable(let name):
            let object = try variable(name)
            return .value(
                SQLFragment(object.primaryKey),
                .reference(rootIndex: object.layout.rootIndex),
                throughPrimaryKey: nil
            )
        case .keyPath(nil, let path):
            return try follow(KeyPathSteps(path), from: root)
        case .keyPath(let operand?, let path):
            switch operand.node {
            case .evaluatedObject: return try follow(KeyPathSteps(path), from: root)
            case .variable(let name):
                return try follow(KeyPathSteps(path), from: try variable(name))
            case .subquery:
                guard case .collection(let collection)? = try self.path(operand) else { return nil }
                return try extend(collection, KeyPathSteps(path))
            default: return nil
            }
        case .subquery(let collection, let name, let predicate):
            return .collection(try subquery(collection, name, predicate, expression))
        default: return nil
        }
    }

    private func variable(_ name: String) throws -> SQLObject {
        guard let object = variables[name] else {
            throw QueryError.unboundVariable(name)
        }
        return object
    }

    private func subquery(
        _ expression: NSExpression,
        _ name: String,
        _ predicate: NSPredicate,
        _ whole: NSExpression
    ) throws -> SQLCollection {
        guard case .collection(var collection)? = try path(expression),
            let object = collection.object
        else { throw unsupported(whole, "the collection is no to-many relationship") }
        // A subquery inside may have a variable of the same name, which hides this one there only.
        let hidden = variables[name]
        variables[name] = object
        defer { variables[name] = hidden }
        collection.conditions.append(try condition(predicate))
        return collection
    }

    /// A path from the elements of a subquery; only the operators and attributes that need no
    /// further subquery.
    private func extend(_ collection: SQLCollection, _ path: KeyPathSteps) throws -> SQLPath {
        // Counts rows, so that elements need not be objects here.
        if path.steps == [.collectionOperator(.count)] { return .aggregate(collection, .count) }
        guard let object = collection.object else { return .misplacedOperator }
        var steps = path.steps
        var operation: KeyPathSteps.CollectionOperator?
        if case .collectionOperator(let found)? = steps.first {
            operation = found
            steps.removeFirst()
        }
        let keys = steps.map { step -> String in
            if case .key(let key) = step { key.name } else { "@" }
        }
        var element = object
        // The path from the element is a path in a collection again, where a missing row ends it.
        element.isInner = true
        let rest = KeyPathSteps(keys.joined(separator: "."))
        guard case .value(let value, let type, _) = try follow(rest, from: element) else {
            throw QueryError.toManyNotAllowed(path.path)
        }
        // The subquery's conditions stay with the values: only the elements that it selects are
        // read.
        let values = SQLCollection(
            scope: collection.scope,
            element: value,
            type: type,
            object: nil,
            conditions: collection.conditions
        )
        return operation.map { .aggregate(values, $0) } ?? .collection(values)
    }
}
