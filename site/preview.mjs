// Shows the built site on loopback below a path, as a host of pages does: `node site/preview.mjs`.
import { fileURLToPath } from 'node:url'
import { serveSite } from './serve.mjs'

const { origin } = await serveSite(fileURLToPath(new URL('dist/site', import.meta.url)), '/jurist/', 4173)
console.log(`${origin}/jurist/`)
