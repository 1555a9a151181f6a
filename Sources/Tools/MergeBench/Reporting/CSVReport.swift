/// The report as a file of comma-separated values (RFC 4180).
extension BenchmarkReport {
    /// A line for each run; times in seconds, memory in bytes, nothing where nothing was measured.
    public var csv: String {
        let header =
            "workload,rows,layout,round,rows_written,saves,saved_seconds,rows_per_second,"
            + "shown_seconds,list_changes,main_elapsed_seconds,main_busy_seconds,main_cpu_seconds,"
            + "main_longest_seconds,main_p99_seconds,main_over_frame_count,"
            + "main_over_frame_seconds,merges,objects_merged,faults_fired,peak_bytes,"
            + "peak_rise_bytes,listed_rows,stored_rows,host_share,attempts,checksum"
        return ([header] + results.map(Self.line)).joined(separator: "\r\n") + "\r\n"
    }

    private static func line(_ run: RunResult) -> String {
        let queue = run.mainQueue
        let numbers: [Double?] = [
            Double(run.writtenRowCount), Double(run.saveCount), run.savedSeconds,
            run.rowsPerSecond, run.shownSeconds, run.listChangeCount.map(Double.init),
            queue?.elapsedSeconds, queue?.busySeconds, queue?.processorSeconds,
            queue?.longestSeconds, queue?.p99Seconds,
            queue.map { Double($0.longerThanFrameCount) }, queue?.longerThanFrameSeconds,
            run.merges.map { Double($0.mergeCount) }, run.merges.map { Double($0.objectCount) },
            run.merges.map { Double($0.faultCount) }, Double(run.peakByteCount),
            Double(run.peakRiseByteCount), Double(run.listedRowCount),
            Double(run.storedRowCount), run.hostShare, Double(run.attemptCount),
        ]
        let fields =
            [run.workload.rawValue, "\(run.sizeRowCount)", quoted(run.layout), "\(run.round)"]
            + numbers.map { $0.map(number) ?? "" } + [run.checksum]
        return fields.joined(separator: ",")
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else {
            return text
        }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
