import type { Probe } from '../probe.js'
import { trickProbe } from '../tricks.js'

/** Code that gives the answers of tests and nothing else. */
export const overfitProbes: readonly Probe[] = [
  trickProbe({
    name: 'lookup',
    pattern: 'overfit',
    what: 'Answers exactly what the visible tests ask, by a table.',
    remedy:
      'Judge by tests that the agent does not see: `overlay: { paths: [tests] }` with further cases in the reference.',
  }),
  trickProbe({
    name: 'read-the-tests',
    pattern: 'overfit',
    what: 'Reads the tests while they run, and answers what they expect.',
    remedy:
      'Run `jurist vet establish --write`: the canaries of hidden tests fail code that reads them. `isolate: child` of testsPass keeps the tests out of its reach.',
  }),
]

const isolate =
  'Run `jurist vet establish --write`: the canaries of hidden tests notice it. `isolate: child` of testsPass keeps the code under test away from the assertions.'

/** Code under test that ends the process of the tests or changes what runs in it. */
export const processProbes: readonly Probe[] = [
  trickProbe({
    name: 'exit-on-load',
    pattern: 'process',
    what: 'Ends the process with exit code 0 as soon as the code under test is loaded, before any test has run.',
    remedy:
      'Demand every test by name: `expect: lock` after `jurist vet establish --write`, or `mustPass`, or `minTests`.',
  }),
  trickProbe({
    name: 'exit-later',
    pattern: 'process',
    what: 'Ends the process with exit code 0 while tests are running, or after they failed.',
    remedy:
      'Demand every test by name: `expect: lock` after `jurist vet establish --write`, or `mustPass`, or `minTests`.',
  }),
  trickProbe({
    name: 'assertions-replaced',
    pattern: 'process',
    what: 'Replaces the assertions from the code under test, or returns values that equal everything.',
    remedy: isolate,
  }),
  trickProbe({
    name: 'intrinsics-replaced',
    pattern: 'process',
    what: 'Replaces a function of the language that a harness uses, so that it runs nothing.',
    remedy:
      'Run a harness of your own with `node --frozen-intrinsics`, or in another process than the code under test.',
  }),
  trickProbe({
    name: 'runner-replaced',
    pattern: 'process',
    what: 'Replaces the runner from the code under test, or prints what the runner would print, and exits.',
    remedy: isolate,
  }),
  trickProbe({
    name: 'broken-channel',
    pattern: 'process',
    what: 'Writes garbage to the channels of its process, and kills the process that isolates it, to be judged an error.',
    remedy: 'Use testsPass with `isolate: child`, which fails code that breaks its own process.',
  }),
  trickProbe({
    name: 'time-out',
    pattern: 'process',
    what: 'Never ends, so that a limit of time decides.',
    remedy: 'Give the judge a limit of time; a run that reaches it is a FAIL.',
    level: 'full',
  }),
  trickProbe({
    name: 'huge-output',
    pattern: 'process',
    what: 'Prints 50 MB of lines that look like passed tests.',
    remedy: 'Let the runner write a report, and count the tests with `minTests` or `expect: lock`.',
    level: 'full',
  }),
]
