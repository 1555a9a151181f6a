import Foundation

extension NSNotification.Name {
    /// Posted when an undo manager opens or closes a group, before it undoes or redoes, and when
    /// it is asked whether it can redo: whoever collects changes registers them now.
    public static let NSUndoManagerCheckpoint =
        NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// Posted before an undo manager undoes.
    public static let NSUndoManagerWillUndoChange =
        NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted before an undo manager redoes.
    public static let NSUndoManagerWillRedoChange =
        NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after an undo manager has undone.
    public static let NSUndoManagerDidUndoChange =
        NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted after an undo manager has redone.
    public static let NSUndoManagerDidRedoChange =
        NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
    /// Posted after an undo manager has opened a group.
    public static let NSUndoManagerDidOpenUndoGroup =
        NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before an undo manager closes a group.
    public static let NSUndoManagerWillCloseUndoGroup =
        NSNotification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after an undo manager has closed a group.
    public static let NSUndoManagerDidCloseUndoGroup =
        NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
}

/// Key of the notifications about closing: true if the group as a whole is discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"
