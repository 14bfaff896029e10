import * as v from 'valibot'
import type { KeptScan } from './finding-text.js'
import type { ScanFinding, TrialScan } from './scan.js'

export const findingFields: { readonly [key in keyof Required<ScanFinding>]: v.GenericSchema } = {
  itemId: v.string(),
  repetition: v.number(),
  rule: v.string(),
  level: v.picklist(['suspect', 'attempt', 'note']),
  place: v.union([
    v.object({ step: v.number(), from: v.number(), to: v.number() }),
    v.object({ answer: v.literal(true), from: v.number(), to: v.number() }),
    v.object({ path: v.string(), line: v.number() }),
  ]),
  evidence: v.string(),
  remark: v.optional(v.string()),
}

/** The facts of a scan in addition to its findings. */
export const headFields: { readonly [key in keyof Omit<KeptScan, 'findings'>]: v.GenericSchema } = {
  at: v.string(),
  unseen: v.array(
    v.object({
      itemId: v.string(),
      repetition: v.number(),
      coverage: v.picklist(['scanned', 'partly', 'not-scanned']),
    }),
  ),
  unread: v.number(),
  notApplicable: v.record(v.string(), v.number()),
  errors: v.record(v.string(), v.string()),
}

/** The scan of a trial in a line beside its run. */
export const trialScanFields: { readonly [key in keyof TrialScan]: v.GenericSchema } = {
  itemId: v.string(),
  repetition: v.number(),
  passed: v.nullable(v.boolean()),
  coverage: v.picklist(['scanned', 'partly', 'not-scanned']),
  findings: v.array(v.object(findingFields)),
  unread: v.number(),
  notApplicable: v.record(v.string(), v.string()),
  errors: v.record(v.string(), v.string()),
}
