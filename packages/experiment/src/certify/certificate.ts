import { JuristError } from '@jurist/core'
import { commandLine } from '@jurist/kit/command-line'
import * as v from 'valibot'
import { type Risk, risks } from './risk-curve.js'

/** A tier as a certificate knows it. */
export interface CertifiedTier {
  readonly name: string
  /** Changes with the judge or jury, its models, and the source of its confidence. */
  readonly fingerprint: string
  /** The names of the models that it calls; `null`: none that has a name. */
  readonly model: string | null
  /** The source of its confidence, such as `votes(5, temperature 1)`. */
  readonly confidence: string
  /**
   * In a certificate: how many of the labelled items that reached it at the threshold it decided with which confidence, in
   * hundredths, rounded down. Drift is measured against them. Absent in certificates of earlier versions.
   */
  readonly confidences?: Readonly<Record<string, number>>
}

/** The origin of the labels of a certificate. */
export type LabelledBy = 'people' | 'models' | 'unknown'

/**
 * A guarantee for a cascade, based on labels: with probability `1 - delta`, its decisions at `threshold` have a risk of
 * at most `alpha`, for new items like the labelled ones. JSON, for a file beside the config.
 */
export interface Certificate {
  readonly schemaVersion: 1
  readonly id: string
  readonly threshold: number
  readonly alpha: number
  /** The value that was asked for; with `tries` above 1 the test used `delta / tries`. */
  readonly delta: number
  readonly risk: Risk
  /** The labelled items that were decided at the threshold, and those of them that were decided wrongly. */
  readonly decided: number
  readonly errors: number
  /** The exact upper bound of the risk. */
  readonly upper: number
  /** The share of the labelled items that is decided. */
  readonly coverage: number
  readonly tiers: readonly CertifiedTier[]
  readonly labels: {
    /** The hash of the items and their labels. */
    readonly hash: string
    readonly items: number
    readonly annotators: readonly string[]
    readonly by: LabelledBy
  }
  /** How often these labels were used to look for a certificate, this time included. */
  readonly tries: number
  /** When, as ISO 8601. */
  readonly made: string
  /** The version of Jurist. */
  readonly jurist: string
}

const rate = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const word = v.pipe(v.string(), v.nonEmpty())

const certificateSchema = v.object({
  schemaVersion: v.literal(1),
  id: word,
  threshold: rate,
  alpha: rate,
  delta: rate,
  risk: v.picklist(risks),
  decided: count,
  errors: count,
  upper: rate,
  coverage: rate,
  tiers: v.pipe(
    v.array(
      v.object({
        name: word,
        fingerprint: word,
        model: v.nullable(v.string()),
        confidence: word,
        confidences: v.exactOptional(v.record(v.pipe(v.string(), v.regex(/^\d{1,3}$/)), count)),
      }),
    ),
    v.nonEmpty(),
  ),
  labels: v.object({
    hash: word,
    items: count,
    annotators: v.array(v.string()),
    by: v.picklist(['people', 'models', 'unknown']),
  }),
  tries: v.pipe(v.number(), v.integer(), v.minValue(1)),
  made: word,
  jurist: v.string(),
})

/**
 * Reads a certificate, such as the JSON of its file.
 *
 * @throws `certificate-invalid` naming every problem
 *
 * @example
 * import { type Certificate, readCertificate } from '@jurist/experiment/certify'
 *
 * export const certificateOf = async (response: Response): Promise<Certificate> => readCertificate(await response.json())
 */
export function readCertificate(value: unknown): Certificate {
  const read = v.safeParse(certificateSchema, value)
  if (read.success) return Object.freeze(read.output)
  const issues = read.issues.map((issue) => `${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`)
  throw new JuristError(
    'certificate-invalid',
    `This is not a certificate: ${issues.join('; ')}. Make one with: ${commandLine('calibrate', 'NAME', '--certify', '--certificate', 'FILE')}`,
    { issues },
  )
}
