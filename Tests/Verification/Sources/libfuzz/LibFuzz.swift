// The fuzzer's sequences, as LLVM's libFuzzer finds them: guided by what they cover.

import Fuzzing

private let reported = MisuseCount()

/// Plays one input; a difference traps, as libFuzzer wants it.
@_cdecl("LLVMFuzzerTestOneInput")
public func playOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do { try Sequence.play(bytes, reported) } catch { fatalError("\(error)") }
  return 0
}
