import { cascade, fileContent, fileExists, type Jury, jury } from '@jurist/core'

const written = jury({ judges: { written: fileExists('RELEASE.md') } })
const complete = jury({ judges: { changes: fileContent('RELEASE.md', { contains: '## Changes' }) } })

/** The cheap question first: what is not there is not read. */
export const rules: Jury = cascade([
  { name: 'written', jury: written, policy: 'reject-on-any-fail' },
  { name: 'complete', jury: complete, policy: 'final' },
])
