import CSQLite
import Foundation

extension SQLiteStore {
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] { [] }
}
