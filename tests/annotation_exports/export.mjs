// Read a page of Web Annotation and write it again, by Recogito and by apache-annotator: export.mjs PAGE FOLDER.
import fs from 'node:fs'
import path from 'node:path'
import { JSDOM } from 'jsdom'

const [pagePath, folder] = process.argv.slice(2)
const page = JSON.parse(fs.readFileSync(pagePath, 'utf8'))
const dom = new JSDOM('<!doctype html><p></p>', { pretendToBeVisual: true })
globalThis.window = dom.window
for (const name of ['document', 'Node', 'NodeFilter', 'Range', 'Element', 'HTMLElement', 'Text', 'DOMRect'])
  globalThis[name] = dom.window[name]
const paragraph = document.querySelector('p')
paragraph.textContent = page['mc:text']

const { W3CTextFormat, rangeToSelector } = await import('@recogito/text-annotator')
const format = W3CTextFormat(page.items[0].target.source)
const placed = page.items.filter((item) => item.target.selector)
const recogito = placed.map((item) => {
  const { parsed, error } = format.parse({ ...item, creator: { id: 'anna', name: 'Anna' } })
  if (error) throw error
  return format.serialize(parsed)
})
// As somebody who selects the last word: Recogito counts UTF-16 code units, as JavaScript does.
const range = document.createRange()
const { length } = paragraph.textContent
range.setStart(paragraph.firstChild, length - 4)
range.setEnd(paragraph.firstChild, length - 1)
recogito.push(
  format.serialize({
    id: 'own',
    bodies: [{ id: 'b', annotation: 'own', purpose: 'tagging', value: 'Г.слов' }],
    target: { annotation: 'own', creator: { id: 'boris' }, selector: [rangeToSelector(range, paragraph)] },
  }),
)

const {
  createTextPositionSelectorMatcher,
  createTextQuoteSelectorMatcher,
  describeTextPosition,
  describeTextQuote,
} = await import('@apache-annotator/dom')

async function first(matches) {
  for await (const range of matches) return range
  return null
}

const apache = []
for (const item of placed) {
  const [position, quote] = item.target.selector
  const byPosition = await first(createTextPositionSelectorMatcher(position)(paragraph))
  const byQuote = await first(createTextQuoteSelectorMatcher(quote)(paragraph))
  if (byPosition?.toString() !== quote.exact || byQuote?.toString() !== quote.exact)
    throw new Error(`${item.id}: ${byPosition} and ${byQuote}, not ${quote.exact}`)
  const selector = [await describeTextPosition(byPosition, paragraph), await describeTextQuote(byQuote, paragraph)]
  apache.push({ ...item, target: { source: item.target.source, selector } })
}

const write = (name, value) => fs.writeFileSync(path.join(folder, name), `${JSON.stringify(value, null, 1)}\n`)
write('recogito.json', recogito)
write('apache-annotator.json', { '@context': page['@context'], type: 'AnnotationPage', 'mc:text': page['mc:text'], items: apache })
