import Foundation

/// (skeleton, to be written by the Query room)
open class NSExpression: NSObject {}
