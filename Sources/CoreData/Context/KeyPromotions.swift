/// A temporary key that has become permanent.
struct KeyPromotion {
    let entityIndex: Int
    let temporary: Int64
    let permanent: Int64
}

/// What the temporary keys of a tree of contexts have become, in order. All descendants of the
/// context that saves to the coordinator share it, for as long as that has children.
///
/// > Threading: Any thread.
final class KeyPromotions: Sendable {
    private struct State {
        // Both are kept: contexts follow the log in its order, and requests ask for single keys.
        var log: [KeyPromotion] = []
        var permanentKeys: [Int64: Int64] = [:]
    }
    private let state = Locked(State())

    var count: Int { state.withLock(\.log.count) }

    func note(_ promotions: [KeyPromotion]) {
        state.withLock { state in
            state.log += promotions
            for promotion in promotions {
                state.permanentKeys[promotion.temporary] = promotion.permanent
            }
        }
    }

    /// The promotions after the first `count` of them.
    func after(_ count: Int) -> ArraySlice<KeyPromotion> {
        state.withLock { $0.log.count > count ? $0.log[count...] : [] }
    }

    func permanentKey(_ temporary: Int64) -> Int64? {
        state.withLock { $0.permanentKeys[temporary] }
    }
}
