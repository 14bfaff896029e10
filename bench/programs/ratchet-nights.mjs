// node ratchet-nights.mjs: simulated nights of a ratchet, as JSON; fewer than the benchmark simulates.
import { acceptedAttacks, coverage, falseAcceptances, keptGains } from '../ratchet.mjs'

console.log(
  JSON.stringify({
    acceptedAttacks: acceptedAttacks(),
    falseAcceptances: falseAcceptances(700),
    keptGains: keptGains(300),
    coverage: coverage(300),
  }),
)
