import type { Jury } from 'jurist'
import { cascade, fileContent, jury, matchesReference, mavenPom } from 'jurist'
import { compiles } from './judges/compiles.js'
import { noMentionOf } from './judges/no-mention-of.js'
import { sameMeaning } from './judges/same-meaning.js'
import type { Model } from './model/model.js'

/** What any migration must have, read off the files. */
const gate = jury({
  judges: {
    packages: noMentionOf('javax.servlet', 'javax.persistence'),
    release: fileContent('pom.xml', { matches: /<maven\.compiler\.release>\s*17\s*</ }),
  },
})

/** What a compiler knows better than any reader. */
const command = jury({ judges: { compiles } })

/** Equal to the reference, but for order, layout and comments. */
const structure = jury({
  judges: { sources: matchesReference({ only: ['src/'], extra: 'forbid' }), pom: mavenPom() },
})

/** Four tiers, the cheap ones first: the model sees only what no rule could decide. */
export function migrationJury(model: Model): Jury {
  const meaning = jury({ judges: { same: sameMeaning(model) } })
  return cascade([
    { name: 'gate', jury: gate, policy: 'reject-on-any-fail' },
    { name: 'command', jury: command, policy: 'reject-on-any-fail' },
    { name: 'structure', jury: structure, policy: 'accept-on-all-pass' },
    { name: 'meaning', jury: meaning, policy: 'final' },
  ])
}
