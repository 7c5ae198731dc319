// Draws the icons of all systems from switchyard.svg with the Electron that is there. Run it after a change of the
// drawing, and commit what it makes:  node build/icons/render.mjs
//   png/NxN.png          Linux
//   switchyard.ico       Windows
//   switchyard.icns      macOS
//   switchyard-1024.png  for pages and shops
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlainError, root, run, runMain, say } from '../console.mjs';
import { electronPath, rootFlags } from '../electron-runtime.mjs';
import { hasDisplay, VIRTUAL_DISPLAY } from '../with-display.mjs';

const FOLDER = path.join(root, 'build/icons');
// The sizes that the hicolor theme has: in a folder of any other nobody looks, and rpm would leave it behind.
const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
const LARGEST = 1024;
const ICO_SIZES = [16, 24, 32, 48, 64, 128, 256];
/** Of Apple's types those that hold a PNG on every supported macOS; "@2x" is the same drawing at twice the size. */
const ICNS_TYPES = /** @type {const} */ ([
  ['ic11', 32], // 16@2x
  ['ic12', 64], // 32@2x
  ['ic07', 128],
  ['ic13', 256], // 128@2x
  ['ic08', 256],
  ['ic14', 512], // 256@2x
  ['ic09', 512],
  ['ic10', 1024], // 512@2x
]);
const RENDER_WITHIN_MS = 60_000;

/** @typedef {{ png: string, rgba: string }} Drawing both in base64 */

// Runs in Electron's main process; the page's canvas does the drawing.
const MAIN = `
const { app, BrowserWindow } = require('electron');
const fs = require('node:fs');
const [svg, output, sizes] = process.argv.slice(-3);
app.whenReady().then(async () => {
  const window = new BrowserWindow({ show: false });
  await window.loadURL('data:text/html,<title>icons</title>');
  const drawings = await window.webContents.executeJavaScript('(' + draw + ')(' +
    JSON.stringify(fs.readFileSync(svg, 'utf8')) + ',' + sizes + ')');
  fs.writeFileSync(output, JSON.stringify(drawings));
  app.exit(0);
});
async function draw(source, sizes) {
  const drawings = {};
  for (const size of sizes) {
    const image = new Image();
    // the size stands in the drawing itself, so that it is not drawn at another one and scaled
    const sized = source.replace(/width="\\d+" height="\\d+"/, 'width="' + size + '" height="' + size + '"');
    image.src = 'data:image/svg+xml;base64,' + btoa(sized);
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, size, size);
    let rgba = '';
    for (let at = 0; at < data.length; at += 32768) rgba += String.fromCharCode(...data.subarray(at, at + 32768));
    drawings[size] = { png: canvas.toDataURL('image/png').split(',')[1], rgba: btoa(rgba) };
  }
  return drawings;
}
`;

/**
 * @param {number[]} sizes
 * @returns {Promise<Map<number, Drawing>>}
 */
async function render(sizes) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-icons-'));
  try {
    fs.writeFileSync(path.join(work, 'main.js'), MAIN);
    fs.writeFileSync(path.join(work, 'package.json'), JSON.stringify({ name: 'icons', main: 'main.js' }));
    const output = path.join(work, 'drawings.json');
    const [program = '', ...args] = [
      ...(hasDisplay() ? [] : VIRTUAL_DISPLAY),
      electronPath(),
      ...rootFlags,
      `--user-data-dir=${path.join(work, 'data')}`,
      work,
      path.join(FOLDER, 'switchyard.svg'),
      output,
      JSON.stringify(sizes),
    ];
    const { output: said } = await run(program, args, { quiet: true, timeoutMs: RENDER_WITHIN_MS });
    if (!fs.existsSync(output)) throw new PlainError(`The icons could not be drawn. Electron said:\n${said}`);
    const drawings = JSON.parse(fs.readFileSync(output, 'utf8'));
    return new Map(sizes.map((size) => [size, drawings[size]]));
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Small images as bitmaps, since installer makers do not read small PNGs; 256 as PNG, as Windows itself does.
 * @param {Map<number, Drawing>} drawings
 */
function makeIco(drawings) {
  const images = ICO_SIZES.map((size) => {
    const { png, rgba } = drawing(drawings, size);
    return size < 256 ? makeBitmap(size, Buffer.from(rgba, 'base64')) : Buffer.from(png, 'base64');
  });
  const header = Buffer.alloc(6 + 16 * images.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = header.length;
  images.forEach((image, index) => {
    const at = 6 + 16 * index;
    const size = ICO_SIZES[index] ?? 0;
    header.writeUInt8(size % 256, at); // 0 stands for 256
    header.writeUInt8(size % 256, at + 1);
    header.writeUInt16LE(1, at + 4);
    header.writeUInt16LE(32, at + 6);
    header.writeUInt32LE(image.length, at + 8);
    header.writeUInt32LE(offset, at + 12);
    offset += image.length;
  });
  return Buffer.concat([header, ...images]);
}

/**
 * A bitmap as it stands in an .ico: bottom line first, BGRA, and an empty mask behind it since alpha says it all.
 * @param {number} size
 * @param {Buffer} rgba
 */
function makeBitmap(size, rgba) {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(size, 4);
  header.writeInt32LE(size * 2, 8); // with the mask
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(32, 14);
  const pixels = Buffer.alloc(size * size * 4);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const from = ((size - 1 - y) * size + x) * 4;
      const to = (y * size + x) * 4;
      pixels.writeUInt32LE(
        ((rgba[from + 3] ?? 0) * 0x1000000 +
          ((rgba[from] ?? 0) << 16) +
          ((rgba[from + 1] ?? 0) << 8) +
          (rgba[from + 2] ?? 0)) >>>
          0,
        to,
      );
    }
  }
  const maskLine = Math.ceil(size / 32) * 4;
  return Buffer.concat([header, pixels, Buffer.alloc(maskLine * size)]);
}

/** @param {Map<number, Drawing>} drawings */
function makeIcns(drawings) {
  const chunks = ICNS_TYPES.map(([type, size]) => {
    const image = Buffer.from(drawing(drawings, size).png, 'base64');
    const header = Buffer.alloc(8);
    header.write(type, 'ascii');
    header.writeUInt32BE(image.length + 8, 4);
    return Buffer.concat([header, image]);
  });
  const body = Buffer.concat(chunks);
  const header = Buffer.alloc(8);
  header.write('icns', 'ascii');
  header.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([header, body]);
}

/**
 * @param {Map<number, Drawing>} drawings
 * @param {number} size
 */
function drawing(drawings, size) {
  const found = drawings.get(size);
  if (found === undefined) throw new Error(`size ${size} was not drawn`);
  return found;
}

await runMain(async () => {
  const sizes = [...new Set([...LINUX_SIZES, ...ICO_SIZES, ...ICNS_TYPES.map(([, size]) => size), LARGEST])];
  const drawings = await render(sizes);
  fs.mkdirSync(path.join(FOLDER, 'png'), { recursive: true });
  const write = (/** @type {string} */ name, /** @type {number} */ size) =>
    fs.writeFileSync(path.join(FOLDER, name), Buffer.from(drawing(drawings, size).png, 'base64'));
  for (const size of LINUX_SIZES) write(`png/${size}x${size}.png`, size);
  write(`switchyard-${LARGEST}.png`, LARGEST);
  fs.writeFileSync(path.join(FOLDER, 'switchyard.ico'), makeIco(drawings));
  fs.writeFileSync(path.join(FOLDER, 'switchyard.icns'), makeIcns(drawings));
  say(`${LINUX_SIZES.length + 1} PNG files, switchyard.ico and switchyard.icns are drawn in build/icons.`);
  return 0;
});
