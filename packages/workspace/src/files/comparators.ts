import type { Comparator } from './comparator.js'
import type { Language } from './language.js'
import { compareText } from './text/compare-text.js'

/**
 * The comparator of every language, each behind a function that loads it on first use: the parsers are large, and a
 * program that compares no Java should not wait for a Java parser.
 */
export const comparators: { readonly [language in Exclude<Language, 'bytes'>]: () => Promise<Comparator> } = {
  java: async () => (await import('./code/java/compare-java.js')).compareJava,
  script: async () => (await import('./code/script/compare-script.js')).compareScript,
  python: async () => (await import('./code/python/compare-python.js')).comparePython,
  'maven-pom': async () => (await import('./maven/pom.js')).comparePom,
  xml: async () => (await import('./xml/xml.js')).compareXml,
  json: async () => (await import('./data/json.js')).compareJson,
  jsonc: async () => (await import('./data/json.js')).compareJsonc,
  'package-json': async () => (await import('./data/package-json.js')).comparePackageJson,
  yaml: async () => (await import('./data/yaml.js')).compareYaml,
  toml: async () => (await import('./data/toml.js')).compareToml,
  properties: async () => (await import('./data/properties.js')).compareProperties,
  text: async () => (sources) => compareText(sources, 'text'),
  'text-lines': async () => (sources) => compareText(sources, 'text-lines'),
  'text-exact': async () => (sources) => compareText(sources, 'text-exact'),
}
