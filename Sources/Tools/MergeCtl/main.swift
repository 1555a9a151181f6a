import Foundation

// The command runs on a thread of its own, so that the main queue is free to merge.
let worker = Thread { exit(Tool.run(Array(CommandLine.arguments.dropFirst()))) }
worker.stackSize = 8 << 20
worker.start()
RunLoop.main.run()
