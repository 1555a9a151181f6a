/// Writes the accessors of one class or extension.
///
/// They are methods, since these take the object in the register that the real accessors do; in an
/// extension of the class, so that types mean what they mean there. A class that its file keeps to
/// itself can't be extended from outside: its accessors are methods of `NSManagedObject`, which pass
/// the same pointers.
struct AccessorWriter {
    let declaration: Declaration
    let hierarchy: ClassHierarchy
    let symbols: [String: String]
    let firstKey: Int

    private var isHidden: Bool { hierarchy.access(of: declaration) <= .fileprivate }

    /// The beginning of the extension.
    var opening: [String] {
        if isHidden { return ["extension NSManagedObject {"] }
        let whereClause = declaration.whereClause.isEmpty ? "" : " \(declaration.whereClause)"
        return declaration.chain.flatMap(\.prefix.availability)
            + ["extension \(declaration.qualifiedName)\(whereClause) {"]
    }

    /// The accessors, and the names that their keys stand for.
    ///
    /// - Throws: ``GeneratorError``.
    func lines() throws -> (lines: [String], keys: [String]) {
        var lines: [String] = []
        var keys: [String] = []
        for (index, property) in declaration.properties.enumerated() {
            let marker = Marker(declaration, index)
            guard let getter = symbols[marker.getter], let setter = symbols[marker.setter] else {
                try checkInactive(property.conditions, property.line, property.column)
                continue
            }
            let type = try self.type(property.type, property.line, property.column)
            // An accessor names its key by the place in the file's list, so the list gets one for
            // each member that is written, and in the same order.
            let key = "managedKey(\(firstKey + keys.count))"
            keys.append(property.name)
            let name = methodName(property.name)
            let access = hierarchy.access(ofMember: property.prefix.access, in: declaration)
            let setterAccess = min(access, property.prefix.setterAccess ?? access)
            lines += property.conditions.map { "#if \($0)" } + property.prefix.availability
            lines += [
                "    @_silgen_name(\"\(getter)\")",
                "    \(modifiers(access))final func get_\(name)() -> \(type) {",
                "        _accessorValue(\(key))", "    }",
            ]
            lines += property.prefix.availability
            lines += [
                "    @_silgen_name(\"\(setter)\")",
                // A setter owns its new value where methods borrow their arguments: without
                // `__owned` it would never be released.
                "    \(modifiers(setterAccess))final func set_\(name)(_ value: __owned \(type)) {",
                "        _setAccessorValue(value, \(key))", "    }",
            ]
            lines += property.conditions.map { _ in "#endif" }
        }
        for (index, function) in declaration.functions.enumerated() {
            guard let symbol = symbols[Marker.function(declaration, index)] else {
                try checkInactive(function.conditions, function.line, function.column)
                continue
            }
            let key = "managedKey(\(firstKey + keys.count))"
            keys.append(try AccessorNaming.key(of: function, in: declaration))
            lines += function.conditions.map { "#if \($0)" } + function.prefix.availability
            lines += try self.lines(function, index, symbol, key)
            lines += function.conditions.map { _ in "#endif" }
        }
        return (lines, keys)
    }

    private func lines(
        _ function: ManagedFunction,
        _ index: Int,
        _ symbol: String,
        _ key: String
    ) throws -> [String] {
        let types = try function.parameters.map {
            try type($0.type, function.line, function.column)
        }
        let parameters = types.enumerated().map { "_ value\($0): \($1)" }.joined(separator: ", ")
        let result = try function.returnType.map { try type($0, function.line, function.column) }
        let arguments = types.indices.map { ", value\($0)" }.joined()
        let body: String
        if result != nil {
            body = "_accessorValue(\(key))"
        } else if function.name.hasPrefix("set") {
            body = "_setAccessorValue(value0, \(key))"
        } else {
            body = "_callAccessor(\(key)\(arguments))"
        }
        let access = hierarchy.access(ofMember: function.prefix.access, in: declaration)
        let name = "call_\(methodName(function.name))_\(index)"
        return [
            "    @_silgen_name(\"\(symbol)\")",
            "    \(modifiers(access))final func \(name)(\(parameters))"
                + "\(result.map { " -> \($0)" } ?? "") {",
            "        \(body)", "    }",
        ]
    }

    /// Members that other modules see need symbols that other modules see.
    ///
    /// `@NSManaged` makes a declaration `dynamic`. A function of the same symbol that is not stops the
    /// compiler where another module is optimized that uses it.
    private func modifiers(_ access: Access) -> String {
        (access >= .public ? "@usableFromInline " : "") + "nonisolated dynamic "
    }

    /// A name that no other class has.
    private func methodName(_ member: String) -> String {
        let owner = declaration.qualifiedName.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return "managed_\(hierarchy.module.name)_\(String(owner))_\(declaration.ordinal)_\(member)"
    }

    /// Only members in an `#if` may be without a symbol.
    private func checkInactive(_ conditions: [String], _ line: Int, _ column: Int) throws {
        guard conditions.isEmpty, declaration.chain.allSatisfy(\.conditions.isEmpty) else { return }
        throw GeneratorError(
            declaration.file.path,
            line,
            column: column,
            "the compiler gives no symbol for this @NSManaged member: write its type in full"
        )
    }

    // MARK: Types

    /// The type as the generated file names it.
    private func type(_ text: String, _ line: Int, _ column: Int) throws -> String {
        try TypeNaming(declaration: declaration, hierarchy: hierarchy, isOutside: isHidden)
            .name(of: text) { message in
                GeneratorError(declaration.file.path, line, column: column, message)
            }
    }
}
