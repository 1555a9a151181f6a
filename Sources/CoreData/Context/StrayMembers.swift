/// Members of one-to-many relationships that show another owner than the one whose content has
/// them: the content was read after others had saved them, and that save is not merged yet.
///
/// Such a pair is left as it is until the merge, which tells of both. Until then, who changes the
/// member here has to know of all contents that have it.
///
/// > Threading: Confined to the context's queue.
final class StrayMembers {
    private struct Place {
        // Weak: what nobody holds any more has no content in memory that would have to be put
        // right.
        weak var member: NSManagedObject?
        weak var owner: NSManagedObject?
        let slot: Int
    }
    private var places: [ObjectIdentifier: [Place]] = [:]

    var isEmpty: Bool { places.isEmpty }

    /// Notes that the content of an owner's relationship has a member that shows another owner.
    func note(_ member: NSManagedObject, in owner: NSManagedObject, _ slot: Int) {
        let key = ObjectIdentifier(member)
        // A member that is gone may have had the same address.
        var known = places[key]?.filter { $0.member === member } ?? []
        if known.contains(where: { $0.owner === owner && $0.slot == slot }) { return }
        known.append(Place(member: member, owner: owner, slot: slot))
        places[key] = known
    }

    /// The owners whose content has the member, with the relationship's slot.
    func owners(of member: NSManagedObject) -> [(owner: NSManagedObject, slot: Int)] {
        places[ObjectIdentifier(member)]?.compactMap { place in
            guard place.member === member, let owner = place.owner,
                owner.flags.isDisjoint(with: .detached)
            else { return nil }
            return (owner, place.slot)
        } ?? []
    }

    /// Forgets those whose content is not in memory any more.
    func purge() {
        places = places.compactMapValues { list in
            // A content that was unloaded is read again, with what the store and its
            // members say by then.
            let kept = list.filter { place in
                guard place.member != nil, let overlay = place.owner?.overlay else { return false }
                return (overlay.box(place.slot).content as? ToManyCollection)?.isLoaded == true
            }
            return kept.isEmpty ? nil : kept
        }
    }

    func removeAll() { places = [:] }
}

extension NSManagedObjectContext {
    /// Removes a member from all contents in memory that have it, except from the owner that it
    /// shows now.
    ///
    /// - Parameter slot: The member's relationship that has changed; nil for all of them.
    func leaveStrayOwners(_ member: NSManagedObject, _ slot: Int? = nil) {
        for (owner, ownerSlot) in strays.owners(of: member) {
            let inverse = owner.layout.slots[ownerSlot].inverseSlot
            guard slot == nil || slot == inverse,
                let collection = owner.overlay?.box(ownerSlot).content as? ToManyCollection,
                collection.isLoaded
            else { continue }
            if member.flags.isDisjoint(with: .deleted), member.toOneObject(inverse) === owner {
                continue
            }
            owner.replaceValues { collection.lose(member) }
            // The change may be taken back, and the owner then has the member again: it has to read
            // it.
            provisionalContents.append((owner, ownerSlot))
            notePending(.pendingRefresh, owner)
        }
    }
    /// Removes deleted objects from contents that were read earlier where the objects no longer
    /// name the owners: others have taken the two apart, and that save is not merged yet.
    ///
    /// - Parameter deleted: Objects whose delete rules have been applied.
    /// - Complexity: A look at the registered objects of the entities at the other ends.
    func leaveContents(_ deleted: [NSManagedObject]) {
        let entities = coordinator.modelLayout.entities
        let roots = Set(deleted.map(\.layout.rootIndex))
        let slots = entities.map { layout in
            layout.slots.filter { slot in
                slot.kind == .toMany && slot.inverseSlot >= 0
                    && roots.contains(entities[slot.destinationIndex].rootIndex)
                    && entities[slot.destinationIndex].slots[slot.inverseSlot].deleteRule
                        != .noActionDeleteRule
            }
        }
        let identifiers = Set(deleted.map(ObjectIdentifier.init))
        for store in storeRegistries.map(\.store) {
            for owner in registeredObjects(in: store, ofEntitiesWith: slots) {
                guard let overlay = owner.overlay, !owner.flags.contains(.deleted) else { continue }
                for slot in slots[owner.layout.index] {
                    guard let collection = overlay.box(slot.index).content as? ToManyCollection
                    else { continue }
                    let lost = collection.objects?.filter {
                        identifiers.contains(ObjectIdentifier($0)) && !collection.isChanged($0)
                    }
                    guard let lost, !lost.isEmpty else { continue }
                    owner.replaceValues { for member in lost { collection.lose(member) } }
                    provisionalContents.append((owner, slot.index))
                    notePending(.pendingRefresh, owner)
                }
            }
        }
    }
}
