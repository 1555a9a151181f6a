import CoreData
import TestSupport
import Testing

/// Keeps a list of numbers as text.
private final class NumberListTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? [Int]).map { Data($0.map(String.init).joined(separator: ",").utf8) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { data in
            String(decoding: data, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
        }
    }
}

private final class OnlyStringsTransformer: NSSecureUnarchiveFromDataTransformer {
    override class var allowedTopLevelClasses: [AnyClass] { [NSString.self] }
}

@Suite struct ValueTransformerTests {
    private func model(_ transformer: NSValueTransformerName?) -> NSManagedObjectModel {
        let attribute = NSAttributeDescription()
        attribute.name = "content"
        attribute.attributeType = .transformableAttributeType
        attribute.isOptional = true
        attribute.valueTransformerName = transformer?.rawValue
        let entity = NSEntityDescription()
        entity.name = "Box"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func attributesUseTheTransformerThatTheyName(kind: StoreKind) throws {
        let name = NSValueTransformerName("NumberList-\(kind)")
        ValueTransformer.setValueTransformer(NumberListTransformer(), forName: name)
        defer { ValueTransformer.setValueTransformer(nil, forName: name) }
        try withContext(kind, model: model(name)) { context in
            let box = context.make("Box", ["content": [1, 2, 3]])
            try context.save()
            context.refresh(box, mergeChanges: false)
            #expect(box.value(forKey: "content") as? [Int] == [1, 2, 3])
            box.setValue("no list", forKey: "content")
            #expect(errorCode { try context.save() } != nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func secureTransformersAreUsedInReverse(kind: StoreKind) throws {
        let name = NSValueTransformerName("OnlyStrings-\(kind)")
        ValueTransformer.setValueTransformer(OnlyStringsTransformer(), forName: name)
        defer { ValueTransformer.setValueTransformer(nil, forName: name) }
        try withContext(kind, model: model(name)) { context in
            let box = context.make("Box", ["content": "text"])
            try context.save()
            context.refresh(box, mergeChanges: false)
            #expect(box.value(forKey: "content") as? String == "text")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theSecureDefaultKeepsPropertyLists(kind: StoreKind) throws {
        for name in [nil, NSValueTransformerName.secureUnarchiveFromDataTransformerName] {
            try withContext(kind, model: model(name)) { context in
                let box = context.make("Box", ["content": NSArray(array: ["a", 1])])
                try context.save()
                context.refresh(box, mergeChanges: false)
                #expect((box.value(forKey: "content") as? NSArray)?.count == 2)
            }
        }
    }

    @Test func transformersAreFoundByName() throws {
        let name = NSValueTransformerName("Found")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = NumberListTransformer()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
        let negate = try #require(ValueTransformer(forName: .negateBooleanTransformerName))
        #expect(negate.transformedValue(true) as? Bool == false)
        let isNil = try #require(ValueTransformer(forName: .isNilTransformerName))
        #expect(isNil.transformedValue(nil) as? Bool == true)
        let isNotNil = try #require(ValueTransformer(forName: .isNotNilTransformerName))
        #expect(isNotNil.transformedValue(nil) as? Bool == false)
        #expect(!ValueTransformer.allowsReverseTransformation())
        #expect(NSStringFromClass(ValueTransformer.transformedValueClass()) == "NSObject")
    }
}
