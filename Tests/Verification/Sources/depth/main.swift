// depth: a million of everything, ended at once, on a stack of 512 KiB and in linear time (rule 8).
//
//   depth [COUNT [WORD]]      COUNT of each, a million if left out; only the cases with WORD in their names

import Baton
import Foundation

let arguments = CommandLine.arguments.dropFirst()
let count = arguments.first.map { Int($0) ?? 0 } ?? 1_000_000
guard count >= 1_000 else {
  print("depth: a count of at least 1000, please")
  exit(2)
}
let word = arguments.dropFirst().first ?? ""

Baton.onMisuse { _ in }
let measured = Case.all.filter { word.isEmpty || $0.name.contains(word) }.map { $0.measure(count) }
print("depth: \(measured.count) cases of \(count), \(measured.count { !$0 }) failed")
exit(measured.allSatisfy(\.self) && !measured.isEmpty ? 0 : 1)
