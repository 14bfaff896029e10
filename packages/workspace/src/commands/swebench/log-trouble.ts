/** What a log without results says of the machine. */
export interface LogTrouble {
  readonly reason: string
  /** `environment`: no change of a source causes it; `ambiguous`: a wrong change may. */
  readonly tier: 'environment' | 'ambiguous'
}

/** In order: the first that is found counts. */
const signatures: readonly (LogTrouble & { readonly pattern: RegExp })[] = [
  {
    reason: 'browser_launch_failed',
    tier: 'environment',
    pattern: /Failed to launch|Failed to connect to the bus/,
  },
  {
    reason: 'display_unavailable',
    tier: 'environment',
    pattern: /cannot open display|Missing X server|unable to open X display/,
  },
  { reason: 'out_of_memory', tier: 'environment', pattern: /Cannot allocate memory|OutOfMemoryError|^Killed$/m },
  {
    reason: 'container_unavailable',
    tier: 'environment',
    pattern: /Error response from daemon|Cannot connect to the Docker daemon/,
  },
  {
    reason: 'network_unreachable',
    tier: 'environment',
    pattern: /Could not resolve host|Temporary failure in name resolution/,
  },
  {
    reason: 'missing_module',
    tier: 'ambiguous',
    pattern: /Cannot find module|MODULE_NOT_FOUND|ModuleNotFoundError/,
  },
  { reason: 'no_tests_collected', tier: 'ambiguous', pattern: /no tests ran|collected 0 items/ },
  { reason: 'tests_timed_out', tier: 'ambiguous', pattern: /Timeout error: \d+ seconds exceeded/ },
]

/** What of the machine may have kept the tests of a log from running; `undefined`: the log does not say. */
export function logTrouble(log: string): LogTrouble | undefined {
  const found = signatures.find(({ pattern }) => pattern.test(log))
  return found && { reason: found.reason, tier: found.tier }
}
