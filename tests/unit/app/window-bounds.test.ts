import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fitBounds, readBounds, writeBounds } from '../../../electron/app/window-bounds.ts';

const screen = { x: 0, y: 25, width: 1920, height: 1055 };
const second = { x: 1920, y: 0, width: 1280, height: 1024 };
const saved = { x: 100, y: 100, width: 1200, height: 800, isMaximized: false };

describe('fitBounds', () => {
  it('is 1440 by 900 at first, and smaller on a smaller screen, but not below the minimum', () => {
    expect(fitBounds(null, [screen])).toEqual({ width: 1440, height: 900 });
    expect(fitBounds(null, [{ x: 0, y: 0, width: 1280, height: 720 }])).toEqual({ width: 1280, height: 720 });
    expect(fitBounds(null, [{ x: 0, y: 0, width: 800, height: 480 }])).toEqual({ width: 960, height: 600 });
    expect(fitBounds(null, [])).toEqual({ width: 1440, height: 900 });
  });

  it('keeps its place on whichever screen it was', () => {
    expect(fitBounds(saved, [screen])).toEqual({ x: 100, y: 100, width: 1200, height: 800 });
    expect(fitBounds({ ...saved, x: 2000 }, [screen, second])).toMatchObject({ x: 2000, y: 100 });
  });

  it.each([
    ['its screen is gone', { x: 2000 }],
    ['its title is above the screen', { y: -300 }],
    ['its title is below the screen', { y: 1070 }],
    ['it is off to the left', { x: -1150 }],
  ])('keeps its size alone when %s', (_, moved) => {
    expect(fitBounds({ ...saved, ...moved }, [screen])).toEqual({ width: 1200, height: 800 });
  });
});

describe('the file of bounds', () => {
  let folder: string;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'switchyard-bounds-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('is read as it was written', async () => {
    const file = path.join(folder, 'deeper', 'window.json');
    expect(await readBounds(file)).toBe(null);
    await writeBounds(file, saved);
    expect(await readBounds(file)).toEqual(saved);
  });

  it.each(['', 'no json', '[]', '{"x":1}', '{"x":"1","y":1,"width":1,"height":1,"isMaximized":false}'])(
    'is ignored when it holds %j',
    async (text) => {
      const file = path.join(folder, 'window.json');
      fs.writeFileSync(file, text);
      expect(await readBounds(file)).toBe(null);
    },
  );
});
