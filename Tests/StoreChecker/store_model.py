"""The model of a store, as its documented format tells it: read from the model that the store
carries, or from an .xcdatamodel, and numbered and named as its tables are.

Python's standard library only. Nothing here is shared with the Swift code that it checks.
"""
import os
import plistlib
import xml.etree.ElementTree as ElementTree
import zlib

ATTRIBUTE_TYPES = {
    "Integer 16": 100, "Integer 32": 200, "Integer 64": 300, "Decimal": 400, "Double": 500,
    "Float": 600, "String": 700, "Boolean": 800, "Date": 900, "Binary": 1000, "UUID": 1100,
    "URI": 1200, "Transformable": 1800, "Composite": 2100,
}


class Property:
    def __init__(self, name):
        self.name = name
        self.type = 0                 # attributes: the public code of the type
        self.external = False         # attributes: may be kept in a file
        self.preserved = False        # attributes: in the tombstone of a deletion
        self.count_of = None          # derived attributes: the relationship that is counted
        self.destination = None       # relationships: name of the entity
        self.inverse = None           # relationships: name of the inverse
        self.to_many = False
        self.ordered = False
        self.transient = False

    @property
    def is_relationship(self):
        return self.destination is not None


class Entity:
    def __init__(self, name):
        self.name = name
        self.parent = None            # name
        self.abstract = False
        self.own = {}                 # the properties that it declares, by name
        self.unique = []              # lists of attribute names
        self.number = 0
        self.last = 0                 # the number of the last entity of its sub-tree


class Model:
    def __init__(self, entities):
        self.entities = {entity.name: entity for entity in entities}
        self._number()

    def _number(self):
        """Pre-order, brothers by name without regard to case."""
        def visit(parent, number):
            brothers = [e for e in self.entities.values() if e.parent == parent]
            for entity in sorted(brothers, key=lambda e: (e.name.lower(), e.name)):
                entity.number = number = number + 1
                entity.last = number = visit(entity.name, number)
            return number
        visit(None, 0)

    def by_number(self):
        return sorted(self.entities.values(), key=lambda entity: entity.number)

    def root(self, entity):
        while entity.parent is not None:
            entity = self.entities[entity.parent]
        return entity

    def lineage(self, entity):
        """The entity and its ancestors, the root first."""
        line = [entity]
        while line[0].parent is not None:
            line.insert(0, self.entities[line[0].parent])
        return line

    def properties(self, entity):
        """All properties with the entity that declares each, by name."""
        return {name: (owner, prop) for owner in self.lineage(entity)
                for name, prop in owner.own.items()}

    def find(self, entity_name, name):
        return self.properties(self.entities[entity_name])[name]


# MARK: Tables

GROUPS = {100: 0, 200: 0, 300: 0, 800: 0, 900: 1, 500: 1, 600: 1, 400: 2, 700: 3, 1200: 4, 1100: 5,
          1800: 6, 1000: 7}


class Schema:
    """Where the properties of a model stand in the tables."""

    def __init__(self, model):
        self.model = model
        self.columns = {}       # (declaring entity, property) -> column of its value
        self.owner_columns = {} # (declaring entity, to-many without inverse) -> (table, column)
        self.joins = []         # (owner entity, R, inverse entity, S, own column, other column)
        for root in model.by_number():
            if root.parent is None:
                self._name_columns(root)
        self._name_joins()

    def table(self, entity):
        return "Z" + self.model.root(entity).name.upper()

    def _name_columns(self, root):
        taken = set()

        def take(name):
            candidate, number = name, 0
            while candidate in taken:
                number += 1
                candidate = name + str(number)
            taken.add(candidate)
            return candidate

        for entity in self.model.by_number():
            if self.model.root(entity) is not root:
                continue
            own = sorted(entity.own.values(), key=lambda p: (p.is_relationship, p.name))
            for prop in own:
                stored = not prop.to_many if prop.is_relationship else prop.type in GROUPS
                if stored and not prop.transient:
                    self.columns[entity.name, prop.name] = take("Z" + prop.name.upper())
            for owner in self.model.by_number():
                for prop in sorted(owner.own.values(), key=lambda p: p.name):
                    if prop.to_many and prop.inverse is None and not prop.transient \
                            and prop.destination == entity.name:
                        name = take("Z%d%s" % (owner.number, prop.name.upper()))
                        self.owner_columns[owner.name, prop.name] = (self.table(entity), name)

    def _name_joins(self):
        keys = {}
        for entity in self.model.by_number():
            taken = set()
            for prop in sorted(entity.own.values(), key=lambda p: p.name):
                inverse = self._many_to_many(prop)
                if inverse is None:
                    continue
                base = name = "Z_%d%s" % (entity.number, inverse[1].name.upper())
                number = 0
                while name in taken:
                    number += 1
                    name = base + str(number)
                taken.add(name)
                keys[entity.name, prop.name] = name
        seen = set()
        for entity in self.model.by_number():
            for prop in entity.own.values():
                inverse = self._many_to_many(prop)
                if inverse is None or (entity.name, prop.name) in seen:
                    continue
                other, back = inverse
                seen |= {(entity.name, prop.name), (other.name, back.name)}
                if (entity.name, prop.name) == (other.name, back.name):
                    own, far = "REFLEXIVE", "Z_%d%s" % (entity.number, prop.name.upper())
                else:
                    own, far = keys[entity.name, prop.name], keys[other.name, back.name]
                self.joins.append((entity, prop, other, back, own, far))

    def _many_to_many(self, prop):
        if not prop.to_many or prop.inverse is None or prop.transient:
            return None
        other, back = self.model.find(prop.destination, prop.inverse)
        return (other, back) if back.to_many else None


# MARK: Reading a model

def from_cache(content):
    """The model in Z_MODELCACHE: a raw DEFLATE stream of a keyed archive."""
    return from_archive(zlib.decompress(content, -15))


def from_archive(data):
    archive = plistlib.loads(data)
    objects = archive["$objects"]

    def at(reference):
        value = objects[reference.data] if isinstance(reference, plistlib.UID) else reference
        if value == "$null":
            return None
        return value["NS.string"] if isinstance(value, dict) and "NS.string" in value else value

    def members(reference):
        value = at(reference)
        return [at(item) for item in value["NS.objects"]] if value else []

    def dictionary(reference):
        value = at(reference)
        if value is None:
            return {}
        if "NS.keys" in value:
            return dict(zip(map(at, value["NS.keys"]), map(at, value["NS.objects"])))
        names = members(at(value["searchMapping"])["keys"])
        return dict(zip(names, members(value["values"])))

    def class_name(value):
        return at(value["$class"])["$classname"]

    entities = []
    for name, source in dictionary(at(archive["$top"]["root"])["NSEntities"]).items():
        entity = Entity(name)
        parent = at(source.get("NSSuperentity"))
        entity.parent = at(parent["NSEntityName"]) if parent else None
        entity.abstract = bool(source.get("NSIsAbstract"))
        entity.unique = [[at(item) for item in group["NS.objects"]]
                         for group in members(source.get("NSUniqueTuples"))]
        inherited = set(dictionary(parent["NSProperties"])) if parent else set()
        for key, prop in dictionary(source["NSProperties"]).items():
            if key in inherited:
                continue
            if class_name(prop) == "_NSPropertyDescriptionProxy":
                continue
            made = _property(key, prop, at, class_name)
            if made is not None:
                entity.own[key] = made
        entities.append(entity)
    # A cache repeats what is inherited from further up, too.
    model = Model(entities)
    for entity in entities:
        for ancestor in model.lineage(entity)[:-1]:
            for key in list(entity.own):
                if key in ancestor.own:
                    del entity.own[key]
    return model


def _property(name, source, at, class_name):
    kind = class_name(source)
    if "FetchedProperty" in kind:
        return None
    prop = Property(name)
    prop.transient = bool(source.get("NSIsTransient"))
    if kind == "NSRelationshipDescription":
        prop.destination = at(source.get("_NSDestinationEntityName")) \
            or at(at(source["NSDestinationEntity"])["NSEntityName"])
        prop.inverse = at(source.get("_NSInverseRelationshipName"))
        prop.to_many = source.get("NSMaxCount", 0) != 1
        prop.ordered = bool(source.get("NSIsOrdered"))
        return prop
    prop.type = source["NSAttributeType"]
    if kind == "NSDerivedAttributeDescription":
        prop.count_of = _counted(at(source.get("NSDerivationExpression")), at)
    flags = source.get("NSFlagsKey", 0)
    prop.external, prop.preserved = bool(flags & 4), bool(flags & 16)
    return prop


def _counted(expression, at):
    """The relationship that a derivation counts: the function count: of a key path."""
    if not expression or at(expression.get("NSSelectorName")) != "count:":
        return None
    for argument in at(expression["NSArguments"])["NS.objects"]:
        for part in at(at(argument).get("NSArguments", {"NS.objects": []}))["NS.objects"]:
            return at(at(part).get("NSKeyPath"))
    return None


def from_source(path):
    """The model in an .xcdatamodel, or in the first version of an .xcdatamodeld."""
    if path.endswith(".xcdatamodeld"):
        path = os.path.join(path, sorted(n for n in os.listdir(path) if n[0] != ".")[0])
    if os.path.isdir(path):
        path = os.path.join(path, "contents")
    entities = []
    for source in ElementTree.parse(path).getroot().findall("entity"):
        entity = Entity(source.get("name"))
        entity.parent = source.get("parentEntity")
        entity.abstract = source.get("isAbstract") == "YES"
        for group in source.iter("uniquenessConstraint"):
            entity.unique.append([item.get("value") for item in group])
        for item in source:
            if item.tag not in ("attribute", "relationship"):
                continue
            prop = Property(item.get("name"))
            prop.transient = item.get("transient") == "YES"
            if item.tag == "relationship":
                prop.destination = item.get("destinationEntity")
                prop.inverse = item.get("inverseName")
                prop.to_many = item.get("toMany") == "YES"
                prop.ordered = item.get("ordered") == "YES"
            else:
                prop.type = ATTRIBUTE_TYPES.get(item.get("attributeType"), 0)
                prop.external = item.get("allowsExternalBinaryDataStorage") == "YES"
                prop.preserved = item.get("preserveAfterDeletion") == "YES"
                derivation = item.get("derivationExpression") or ""
                if derivation.endswith(".@count"):
                    prop.count_of = derivation[:-len(".@count")]
            entity.own[prop.name] = prop
        entities.append(entity)
    return Model(entities)
