import { escaped, shortened } from '../files/quotation.js'

/** Why a report cannot be used, before it is known which file it is. */
export class ReportFault extends Error {
  override readonly name = 'ReportFault' as const
  readonly code: 'report-corrupt' | 'report-unsupported'

  constructor(code: ReportFault['code'], reason: string) {
    super(shortened(escaped(reason)))
    this.code = code
  }
}

/** Refuses a report that cannot be believed. */
export function corrupt(reason: string): never {
  throw new ReportFault('report-corrupt', reason)
}

/** Refuses a format that is not known. */
export function unsupported(reason: string): never {
  throw new ReportFault('report-unsupported', reason)
}
