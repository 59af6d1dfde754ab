// Runs the explorer: `explore` without a word says how.

import Foundation

exit(try Commands.run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
