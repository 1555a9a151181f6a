/// Members of one-to-many relationships that show another owner than the one whose content has
/// them: the content was read after others had saved them, and that save is not merged yet.
///
/// Such a pair is left as it is until the merge, which tells of both. Until then, who changes the
/// member here has to know of all contents that have it.
///
/// > Threading: Confined to the context's queue.
final class StrayMembers {
    private struct Place {
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

    /// Forgets those whose content is not at hand any more.
    func purge() {
        places = places.compactMapValues { list in
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
    /// Has the contents that have a member let go of it, but for the owner that it shows now.
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
            contentsWithoutMembers.append((owner, ownerSlot))
            notePending(.pendingRefresh, owner)
        }
    }
}
