// Makes one HTML file of index.html, style.css and src/ with what they import: node build.mjs OUTPUT
import {build} from 'esbuild';
import {readFile, writeFile} from 'node:fs/promises';

const here = new URL('.', import.meta.url).pathname;
const made = await build({
  entryPoints: [`${here}src/main.js`], bundle: true, minify: true, format: 'esm', target: 'es2020', write: false,
  legalComments: 'inline', absWorkingDir: here, charset: 'utf8',
});
const style = await build({entryPoints: [`${here}style.css`], minify: true, write: false, absWorkingDir: here});
const script = made.outputFiles[0].text.replaceAll('</script', '<\\/script');
const page = (await readFile(`${here}index.html`, 'utf8'))
  .replace('<link rel="stylesheet" href="style.css">', () => `<style>${style.outputFiles[0].text.trim()}</style>`)
  .replace('<script type="module" src="src/main.js"></script>', () => `<script type="module">\n${script}</script>`);
await writeFile(process.argv[2], page);
