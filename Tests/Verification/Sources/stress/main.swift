// stress: races against the library as it ships, round after round, each with an exact verdict.

import Baton
import Foundation

let options = Options(CommandLine.arguments.dropFirst())
let scenarios = Scenario.all.indices.filter { index in
  options.filter.map { Scenario.all[index].name.contains($0) } ?? true
}
guard !scenarios.isEmpty else { options.fail("no scenario has '\(options.filter ?? "")' in its name") }

// Of two that settle at once, one is reported: silence is what the default handler would not keep.
Baton.onMisuse { _ in }
let session = Session(options, scenarios)
Trouble.watch(session)
exit(session.run() ? 0 : 1)
