//! What a screenshot shows, in numbers.

use crate::browser::Tab;
use playwright_rs::{Locator, ScreenshotClip, ScreenshotOptions};
use std::fmt::Write;

/// The brightest pixel in a part of the page: 0 is black and 255 is white.
pub(crate) async fn brightest(tab: &Tab, area: &Locator) -> f64 {
    let found = area.bounding_box().await.unwrap().unwrap();
    let clip = ScreenshotClip { x: found.x, y: found.y, width: found.width, height: found.height };
    let options = ScreenshotOptions::builder().clip(clip).build();
    let picture = tab.page.screenshot(options).await.unwrap();
    let hex = picture.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    // The browser decodes it: it has what it takes.
    let script = "async (hex) => {
        const bytes = Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        let brightest = 0;
        for (let i = 0; i < data.length; i += 4)
            brightest = Math.max(brightest, data[i] * .299 + data[i + 1] * .587 + data[i + 2] * .114);
        return brightest;
    }";
    tab.page.evaluate(script, Some(&hex)).await.unwrap()
}
