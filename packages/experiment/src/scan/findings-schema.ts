import * as v from 'valibot'
import type { KeptScan } from './finding-text.js'
import type { ScanFinding } from './scan.js'

/** A finding as a line of the file beside a run. */
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

/** The first line of the findings: when, and what the scan could not see. */
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
