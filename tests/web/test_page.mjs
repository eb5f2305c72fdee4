// Drives the page of muslin view as a user does, and looks at what it shows. See test_page.sh.
import {spawn, spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const [, , muslin, source, executablePath] = process.argv;
const {chromium} = await import(join(source, 'web/node_modules/playwright-core/index.mjs'));
const folder = mkdtempSync(join(tmpdir(), 'muslin-page-')), shots = process.env.MUSLIN_SHOTS;
const running = [];
let checks = 0, failures = 0;

function check(what, good) {
  ++checks;
  if (good) return;
  ++failures;
  console.log(`FAILED: ${what}`);
}

// muslin view with these arguments: {address, log(), ended}.
function view(...words) {
  const child = spawn(muslin, ['view', ...words, '--port', '0'], {env: {...process.env, OMP_WAIT_POLICY: 'passive'}});
  let log = '';
  child.stderr.on('data', text => { log += text; });
  const ended = new Promise(resolve => child.on('exit', (code, signal) => resolve(signal ?? code)));
  running.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', text => {
      said += text;
      const found = said.match(/http:\S+/);
      if (found) resolve({child, address: found[0], log: () => log, ended});
    });
    ended.then(status => reject(new Error(`muslin view has ended with ${status}: ${log}`)));
  });
}

const patience = {timeout: 180000}; // machines may be busy
const until = (page, what, argument) => page.waitForFunction(what, argument, patience);
const frames = (page, count) => page.evaluate(() => muslinView.frames())
  .then(now => until(page, wanted => muslinView.frames() >= wanted, now + count));
const time = page => page.evaluate(() => muslinView.head().time);
const position = (page, vertex) => page.evaluate(v => muslinView.position(v), vertex);
const distance = (a, b) => Math.hypot(...a.map((x, c) => x - b[c]));

async function open(browser, address, options) {
  const page = await browser.newPage({viewport: {width: 1280, height: 720}, ...options});
  page.on('pageerror', error => check(`the page fails: ${error.message}`, false));
  page.on('console', message => check(`the console says: ${message.text()}`, message.type() !== 'error'));
  page.setDefaultTimeout(patience.timeout);
  await page.goto(address);
  await until(page, () => window.muslinView?.frames() > 0);
  return page;
}

// A picture of the part where the cloth is, as numbers.
async function look(page, name) {
  const image = await page.screenshot();
  if (shots && name) writeFileSync(join(shots, `${name}.png`), image);
  return page.evaluate(async data => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${data}`;
    await picture.decode();
    const paper = new OffscreenCanvas(300, 200).getContext('2d');
    paper.drawImage(picture, 250, 100, 600, 450, 0, 0, 300, 200);
    return [...paper.getImageData(0, 0, 300, 200).data];
  }, image.toString('base64'));
}
const differing = (a, b) => a.reduce((sum, x, k) => sum + (Math.abs(x - b[k]) > 8), 0);
const shades = pixels => new Set(pixels.filter((_, k) => k % 4 === 0)).size;

async function live(browser) {
  const server = await view('drooping', '--vertices', '441', '--paused');
  const page = await open(browser, server.address);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))); // it is drawn
  const first = await look(page);
  check('the cloth is not blank', shades(first) > 20);
  await page.click('#play');
  await until(page, () => muslinView.head().time > 0.2);
  const second = await look(page, 'view');
  check('it moves', differing(first, second) > 300);

  // Dragged by the pointer, as another page sees it.
  const other = await open(browser, server.address, {viewport: {width: 640, height: 360}});
  const corner = 440;
  await until(other, () => muslinView.head().time > 1);
  await page.bringToFront();
  await frames(page, 2);
  const place = await page.evaluate(v => muslinView.place(v), corner), before = await position(page, corner);
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x - 100, place.y - 90, {steps: 3});
  await frames(page, 10);
  await look(page, 'pull');
  await other.bringToFront();
  await frames(other, 3);
  const pulled = await position(other, corner);
  check(`the vertex follows the pointer: ${before} -> ${pulled}`, pulled[1] - before[1] > 0.1);
  await page.bringToFront();
  await page.mouse.up();
  await other.bringToFront();
  const held = pulled[1];
  await until(other, ([v, y]) => muslinView.position(v)[1] < y - 0.05, [corner, held]);
  await other.close();

  // Pause by the keyboard, step by the button.
  await page.bringToFront();
  await page.locator('#stage').focus();
  await page.keyboard.press(' ');
  await until(page, () => muslinView.head().paused);
  const stopped = await time(page);
  await page.waitForTimeout(400);
  check('nothing moves while it is paused', await time(page) === stopped);
  await page.click('#step');
  await until(page, t => muslinView.head().time > t, stopped);

  // The settings stand beside the picture. A hint that was shown is gone once the cloth has been pulled.
  const [canvas, panel, foot] = await Promise.all(['#stage', '#panel', 'footer'].map(what => page.locator(what).boundingBox()));
  check('the settings cover nothing', canvas.x + canvas.width <= panel.x && canvas.y + canvas.height <= foot.y);
  check('the hint has done its work', !await page.locator('#hint').isVisible());
  await page.keyboard.press('?');
  check('there is help for keys', (await page.textContent('#help dl')).includes('save a picture') && await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');

  // A click on a vertex tells about it; a grab is kept, and let go.
  const spot = await page.evaluate(() => muslinView.place(220));
  await page.mouse.click(spot.x, spot.y);
  await until(page, () => /^vertex \d+\n/.test(document.getElementById('probe').textContent));
  await page.locator('#stage').focus();
  await page.keyboard.press('k');
  await page.mouse.move(spot.x, spot.y);
  await page.mouse.down();
  await page.mouse.move(spot.x, spot.y - 60, {steps: 3});
  await page.mouse.up();
  await until(page, () => muslinView.head().pins.length === 1);
  await page.keyboard.press('k');
  await page.click('#free');
  await until(page, () => muslinView.head().pins.length === 0);

  // The heat map.
  const plain = await look(page);
  await page.selectOption('#colour', 'stretch');
  await until(page, () => !document.getElementById('legend').hidden);
  await page.waitForTimeout(500);
  const hot = await look(page, 'heat');
  check('the heat map is seen', differing(plain, hot) > 1000);
  check('the vertex has a value', /stretch .* %/.test(await page.textContent('#probe')));
  await page.check('#fixed');
  await page.fill('#high', '75');
  await page.press('#high', 'Tab');
  await page.click('#step');
  await page.waitForTimeout(500);
  check('a fixed range stays', await page.inputValue('#high') === '75');
  await page.check('#wireframe');
  await page.waitForTimeout(500);
  check('edges are drawn over the surface', differing(hot, await look(page, 'wires')) > 1000);
  await page.uncheck('#wireframe');

  // A slider, the solver, the plots.
  await page.locator('#gravity').fill('2');
  await until(page, () => muslinView.head().settings.gravity[1] === -2);
  await page.selectOption('#solver', 'diag');
  await until(page, () => muslinView.head().settings.solver === 'diag');
  await page.click('#step');
  await until(page, () => document.querySelectorAll('#colour option[value^=level]').length === 0); // it has none
  await page.selectOption('#fabric', 'silk');
  await until(page, () => muslinView.head().settings.fabric === 'silk');
  const [download] = await Promise.all([page.waitForEvent('download', patience), page.click('#picture')]);
  check('a picture is saved', /^muslin-.*png$/.test(download.suggestedFilename()));

  // Reloaded, the page finds everything as it was.
  await page.reload();
  await until(page, () => window.muslinView?.frames() > 0);
  check('it is paused still', await page.evaluate(() => muslinView.head().paused));
  check('gravity is as it was', await page.inputValue('#gravity') === '2');
  await page.click('#reset');
  await until(page, () => muslinView.head().time === 0);
  check('a reset keeps what was set', await page.evaluate(() => muslinView.head().settings.gravity[1]) === -2);
  await page.click('#restore');
  await until(page, () => muslinView.head().settings.gravity[1] === -9.81);
  await page.click('#play');
  await until(page, () => muslinView.head().time > 0);

  // Another scene, for all pages.
  await page.selectOption('#scene', 'pinned');
  await until(page, () => document.getElementById('name').textContent === 'pinned' && muslinView.head()?.time > 0);
  check('what was clicked is of the scene before', !await page.locator('#probe').isVisible());

  // A phone.
  const phone = await open(browser, server.address, {viewport: {width: 390, height: 780}, hasTouch: true, isMobile: true});
  check('nothing sticks out of a phone', await phone.evaluate(() => document.documentElement.scrollWidth <= 390));
  check('a phone shows the cloth first', !await phone.locator('#panel').isVisible());
  await phone.tap('#fold');
  check('and settings when asked', await phone.locator('#solver').isVisible());
  await look(phone, 'phone');
  await phone.close();

  const refused = await (await browser.newPage()).goto(server.address.replace(/=./, '=x'));
  check('a wrong token is refused', refused.status() === 403);

  server.child.kill('SIGINT');
  check('it ends by Ctrl-C', await server.ended === 0);
  await until(page, () => !document.getElementById('banner').hidden);
  check('the page says so', (await page.textContent('#banner')).includes('connection was lost'));
  check('what was refused is logged', server.log().includes('the token is wrong'));
  await page.close();
}

async function exploding(browser) {
  const scene = join(folder, 'jump.json');
  writeFileSync(scene, JSON.stringify({cloths: [{shape: {vertices: 49}, pins: [
    {where: {box: [-1, -1, -1, -0.4, 1, 1]}},
    {where: {box: [0.4, -1, -1, 1, 1, 1]}, offset: [{time: 0.1, value: [0, 0, 0]}, {time: 0.1001, value: [90, 0, 0]}]}]}]}));
  const server = await view(scene);
  const page = await open(browser, server.address, {viewport: {width: 640, height: 360}});
  await until(page, () => !document.getElementById('banner').hidden);
  check('an exploding scene says so', (await page.textContent('#banner')).includes('smaller time_step'));
  await page.close();
  server.child.kill('SIGINT');
  await server.ended;
}

async function recording(browser) {
  const result = join(folder, 'result'), scene = join(folder, 'two.json');
  writeFileSync(scene, JSON.stringify({cloths: [
    {shape: {vertices: 441}, pins: [{where: {box: [-1, -1, -1, -0.49, 1, 1]}}]},
    {shape: {vertices: 49}, translate: [0, 1, 0], fabric: 'silk'}]}));
  const made = spawnSync(muslin, ['run', scene, '--frames', '12', '-o', result]);
  check('a run to look at', made.status === 0);
  const server = await view(result, '--paused');
  const page = await open(browser, server.address, {viewport: {width: 640, height: 360}});
  check('there is a timeline', await page.locator('#timeline').isVisible());
  check('and no solver', !await page.locator('#solver').isVisible());
  const start = await position(page, 440);
  await page.locator('#timeline').fill('12');
  await until(page, () => muslinView.head().frame === 12);
  await until(page, ([v, y]) => muslinView.position(v)[1] < y, [440, start[1] - 0.1]);
  await page.click('#play'); // from its end: from the start
  await until(page, () => muslinView.head().frame < 12);
  await until(page, () => muslinView.head().frame === 12 && muslinView.head().paused);
  await page.click('#back');
  await until(page, () => muslinView.head().frame === 11);
  await page.check('#loop');
  await page.click('#play');
  await until(page, () => muslinView.head().frame < 11 && muslinView.head().loop);
  await page.close();
  server.child.kill('SIGTERM');
  check('it ends by SIGTERM', await server.ended === 0);
}

async function unfinished(browser) {
  const result = join(folder, 'cut'); // as by a full disk: files may not grow beyond 100 KiB
  const made = spawnSync('bash', ['-c', 'trap "" XFSZ; ulimit -f 100; exec "$@"', 'bash',
                                  muslin, 'run', 'drooping', '--vertices', '441', '--frames', '48', '-o', result]);
  check('a run that cannot write ends', made.status === 1);
  const server = await view(result, '--paused');
  const page = await open(browser, server.address, {viewport: {width: 640, height: 360}});
  await until(page, () => !document.getElementById('banner').hidden);
  check('the page says how far it is', /has \d+ of 48 frames.*--resume/.test(await page.textContent('#banner')));
  await page.close();
  server.child.kill('SIGINT');
  await server.ended;
}

const browser = await chromium.launch({executablePath, args: [
  '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
  ...(process.getuid() === 0 ? ['--no-sandbox'] : [])]});
try {
  await live(browser);
  await exploding(browser);
  await recording(browser);
  await unfinished(browser);
} catch (error) {
  check(error.stack, false);
} finally {
  await browser.close();
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, {recursive: true, force: true});
}
console.log(`${checks} checks, ${failures} failures`);
process.exit(failures ? 1 : 0);
