import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { escaped } from './text.js'

const languages = { bash, ini, java, javascript, json, markdown, python, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Names after a fence, and endings of files, that mean a language of the list. */
const aliases: { readonly [name: string]: keyof typeof languages } = {
  cjs: 'javascript',
  js: 'javascript',
  md: 'markdown',
  mjs: 'javascript',
  py: 'python',
  sh: 'bash',
  svg: 'xml',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  html: 'xml',
}

/** Code as HTML with its parts marked. A language that is not known, or none, is shown as the output of a terminal. */
export function highlighted(code: string, language = ''): string {
  const name = aliases[language] ?? language
  if (name in languages) return hljs.highlight(code, { language: name, ignoreIllegals: true }).value
  return terminal(code)
}

/** A block of code, with the language for a label. */
export function codeBlock(code: string, language = ''): string {
  const kind = language === '' || language === 'text' ? 'output' : language
  return `<div class="code" data-kind="${escaped(kind)}"><pre><code>${highlighted(code, language)}</code></pre></div>`
}

/** What a command prints: the marks of verdicts have the colours of the page of Jurist, commands stand out. */
function terminal(text: string): string {
  return escaped(text)
    .split('\n')
    .map((line) => {
      if (/^\s*\$ /.test(line)) return `<span class="t-command">${line}</span>`
      return line
        .replace(/✓( pass\b)?/g, '<span class="t-pass">$&</span>')
        .replace(/✗( fail\b)?/g, '<span class="t-fail">$&</span>')
        .replace(/: (pass|fail)\b/g, ': <span class="t-$1">$1</span>')
    })
    .join('\n')
}
