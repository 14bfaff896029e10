// node ratchet-nights.mjs: simulated nights of a ratchet, as JSON; fewer than the benchmark simulates.
import { acceptedAttacks, coverage, falseAcceptances, keptGains } from '../ratchet.mjs'

console.log(
  JSON.stringify({
    acceptedAttacks: acceptedAttacks(),
    falseAcceptances: falseAcceptances(1_500),
    keptGains: keptGains(600),
    coverage: coverage(600),
  }),
)
