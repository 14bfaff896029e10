import type { PlannedRun, RunProgress, SeenWorker } from '../store/trial-queue.js'

/** Why the trials of a run that are ready do not run, and what to do; `null` when they do. */
export function workersNotice(
  { manifest, labels }: Pick<PlannedRun, 'manifest' | 'labels'>,
  { ready, leased, stopped }: Pick<RunProgress, 'ready' | 'leased' | 'stopped'>,
  workers: readonly SeenWorker[],
): string | null {
  if (ready === 0 || leased > 0 || stopped !== null) return null
  const wanted = labels.length === 0 ? '' : ` --labels ${labels.join(',')}`
  const start = `Start one: jurist worker${wanted}`
  if (workers.length === 0) return `No worker is there. ${start}`
  const offering = workers.filter((worker) => labels.every((label) => worker.labels.includes(label)))
  if (offering.length === 0) return `${waiting(workers)} none offers ${labels.join(', ')}. ${start}`
  const refusals = offering.flatMap(({ refused }) => refused[manifest.id] ?? [])
  if (refusals.length < offering.length) return null
  const reasons = [...new Set(refusals)]
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} other reasons: jurist workers)` : ''
  return `${waiting(offering)} none fits. ${reasons[0]}${more}`
}

function waiting({ length }: readonly SeenWorker[]): string {
  return length === 1 ? '1 worker waits, and' : `${length} workers wait, and`
}
