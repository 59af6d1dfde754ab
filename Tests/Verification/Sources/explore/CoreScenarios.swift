// Scenarios chosen by hand: what the library's comments say may run beside each other.

/// Searched without a bound; the README's section has the letters.
let coreScenarios: [String] = {
  let flat = words(
    """
    f-f f-f-f ph-t ff-ff pf-f pf-pf p-f-f f-t t-t f-t-t tf-f f-f-t c-f c-c c-c-f f-a a-a a-a-a c-a c-a-f f-x x-x x-x-f c-x a-x
    t-x p-x m-x f-h f-h-h f-hh c-h x-h x-h-h f-n f-a-n c-n c-n-n a-nn x-n x-n-a m-f m-a m-m m-m-a f-o f-f-o c-o a-i-f
    h-h-t q-r q-q-r q-a r-a s-q s-r s-a s-q-a s-a-x s-s-a q-x s-f sq-a sa-q qa-s
    """)
  let nested = words(
    """
    F-f F-F F-F-f C-f C-a C-F C-C A-a A-F A-F-a A-A A-A-a a-F X-F X-a X-f X-x x-F x-A x-C N-a N-A N-F-a N-N-a NF-a
    nF-A n-A n-C H-F h-F H-a-F M-a M-A M-F M-F-a MN-a D-F D-a D-D D-f D-A D-C T-F T-D k-F k-a k-A kF-a k-N k-M FA-a
    CF-a m-A m-C aF aF-A aC-a aF-N xF
    """)
  let queued = words("w-F w-C w-F-a w-F-x w-X w-F-f w-F-A w-C-n")
  let passed = words(
    """
    p:F np:F p:N-F p:NF-a p:C np:C-a pc:C-N p:k-F np:F-a p:A-F p:M-F np:X-F p:H-F pn:D p:s-q p:s-r p:N-N p:N-M
    p:M-M p:NF-N
    """)
  let policies = ["", "n:", "c:", "nc:"]
  let all =
    flat + flat.filter { $0.count < 5 }.map { "v:" + $0 } + passed + nested.filter { $0.count < 4 }.map { "v:" + $0 }
    + nested.flatMap { scenario in policies.map { $0 + scenario } } + queued.flatMap { ["e:" + $0, "ne:" + $0] }
  // The short ones first: a bug is found, and its schedule is read, the sooner.
  return all.sorted { ($0.count, $0) < ($1.count, $1) }
}()

/// Batons that end by the last reference to them, some of which the library holds: those the explorer doesn't see, so
/// that states which differ in them alone look the same to it. These are searched without leaving any state out.
let unheldScenarios = words("u:F u:F-F u:D-F u:C-F u:F-a u:F-f u:F-h u:F-x u:F-n u:M-F u:M-a u:C-n u:A-F u:f-f u:f-a")

private func words(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }
