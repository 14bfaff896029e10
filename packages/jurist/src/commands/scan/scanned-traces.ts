import { type ScanFinding, type ScannedTrial, scanRules, scanTrial } from '@jurist/experiment/scan'
import { openTraces } from '@jurist/import/internal'

/** Reads traces of other tools for a scan. Of a trace nothing is known but what the agent did and said. */
export async function scannedTraces(source: string, cwd: string): Promise<readonly ScannedTrial[]> {
  const times = new Map<string, number>()
  return (await openTraces(source, cwd)).map(({ name, task, output, events, elapsedMs }) => {
    const repetition = (times.get(name) ?? 0) + 1
    times.set(name, repetition)
    return {
      ...{ itemId: name, repetition, task, output, durationMs: elapsedMs, records: events },
      ...{ passed: null, isOwnReport: false, changes: null, reference: null },
      ...{ upstream: [], project: [], scripts: {}, secret: [] },
    }
  })
}

/** Compares the last message of a session with what the session did. */
export async function claimsIn(
  transcript: string,
  { cwd, message }: { readonly cwd: string; readonly message: string | undefined },
): Promise<readonly ScanFinding[]> {
  const [session] = await scannedTraces(transcript, cwd)
  if (session === undefined) return []
  const rules = scanRules.filter(({ group }) => group === 'claims')
  return scanTrial({ ...session, output: message ?? session.output }, { rules }).findings
}
