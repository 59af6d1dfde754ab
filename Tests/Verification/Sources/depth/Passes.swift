// Passes and callbacks.

import Baton

extension Case {
  static let passes = [
    Case("passes are dropped") { count in
      let (baton, completed) = (Baton(), Counter())
      baton.onCompletion { outcome in completed.add(outcome.failures.count) }
      var passes = (0..<count).map { _ in baton.makePass() }
      passes.removeAll()
      return completed.value
    },
    Case("callbacks are dropped") { count in
      let (baton, freed) = (Baton(), Counter())
      var callbacks = (0..<count).map { _ in
        let witness = Witness(freed)
        return baton.pass { () in _ = witness }
      }
      callbacks.removeAll()
      return baton.outcomeIfComplete?.failures.count == count ? freed.value : -1
    },
    Case("onCancel handlers of passes run") { count in
      let (baton, ran) = (Baton(), Counter())
      let passes = (0..<count).map { _ in
        let pass = baton.makePass()
        pass.onCancel { ran.add() }
        return pass
      }
      baton.cancelAll()
      for pass in passes { pass.finish() }
      return baton.isComplete ? ran.value : -1
    },
    Case("onCancel handlers of passes are let go") { count in
      let (baton, freed) = (Baton(), Counter())
      let passes = (0..<count).map { _ in
        let (pass, witness) = (baton.makePass(), Witness(freed))
        pass.onCancel { _ = witness }
        return pass
      }
      for pass in passes { pass.finish() }
      return baton.isComplete ? freed.value : -1
    },
    Case("onCancel handlers of one pass run") { count in
      let (baton, ran) = (Baton(), Counter())
      let pass = baton.makePass()
      for _ in 0..<count { pass.onCancel { ran.add() } }
      baton.cancelAll()
      pass.finish()
      return baton.isComplete ? ran.value : -1
    },
    Case("onCancel handlers of one pass are let go") { count in
      let (baton, freed) = (Baton(), Counter())
      let pass = baton.makePass()
      for _ in 0..<count {
        let witness = Witness(freed)
        pass.onCancel { _ = witness }
      }
      pass.finish()
      return baton.isComplete ? freed.value : -1
    },
  ]
}
