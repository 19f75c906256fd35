//! The colours and markers that tell backends apart. Colours alone are not enough for everyone, so each has a marker
//! of its own too; which backend has which is the page's.

/// One colour for light pages and one for dark ones, as `#rrggbb`, and the outline of a marker about its middle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hue {
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
    /// SVG path data, within 5 units of (0, 0).
    pub(crate) marker: &'static str,
}

/// The page's background.
pub(crate) const PAPER: Hue = Hue { light: "#ffffff", dark: "#15181e", marker: "" };

/// Found by searching for the largest distance (OKLab) between the nearest two as seen with full colour vision,
/// protanopia, deuteranopia and tritanopia (Machado, Oliveira and Fernandes 2009), then settled by eye; the tests
/// hold them to it.
pub(crate) const HUES: [Hue; 8] = [
    Hue { light: "#1f77e0", dark: "#58a6ff", marker: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z" },
    Hue { light: "#7a1233", dark: "#d6336c", marker: "M-3.6-3.6H3.6V3.6H-3.6z" },
    Hue { light: "#e0651c", dark: "#ff9a3c", marker: "M0-4.8L4.6 3.4H-4.6z" },
    Hue { light: "#3f1f9e", dark: "#c9b3ff", marker: "M0-5L5 0L0 5L-5 0z" },
    Hue { light: "#12876a", dark: "#3ddc97", marker: "M0 4.8L4.6-3.4H-4.6z" },
    Hue {
        light: "#c06aa6",
        dark: "#f7e26b",
        marker: "M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5z",
    },
    Hue {
        light: "#8a6d00",
        dark: "#b5835a",
        marker: "M-4.2-2.1L-2.1-4.2L0-2.1L2.1-4.2L4.2-2.1L2.1 0L4.2 2.1L2.1 4.2L0 2.1L-2.1 4.2L-4.2 2.1L-2.1 0z",
    },
    Hue {
        light: "#5b6470",
        dark: "#dfe5ee",
        marker: "M0-5L1.5-1.7L5-1.5L2.3.8L3.2 4.3L0 2.3L-3.2 4.3L-2.3.8L-5-1.5L-1.5-1.7z",
    },
];

/// The hue of the backend at `index` of the legend: from the ninth on they repeat.
pub(crate) const fn hue(index: usize) -> usize {
    index % HUES.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Colour = [f64; 3];

    /// Linear light from `#rrggbb` (IEC 61966-2-1).
    fn linear(text: &str) -> Colour {
        [1, 3, 5].map(|start| {
            let value = f64::from(u8::from_str_radix(&text[start..start + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// WCAG 2.2's contrast ratio.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |text| {
            let [r, g, b] = linear(text);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let (one, other): (f64, f64) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn product(matrix: [[f64; 3]; 3], vector: Colour) -> Colour {
        matrix.map(|row| row.iter().zip(vector).map(|(one, other)| one * other).sum())
    }

    /// OKLab (Ottosson 2020) from linear light.
    fn oklab(colour: Colour) -> Colour {
        let cone = product(
            [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            colour.map(|it| it.max(0.0)),
        );
        product(
            [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ],
            cone.map(f64::cbrt),
        )
    }

    /// Full colour vision; protanopia, deuteranopia, tritanopia at full severity by Machado et al.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn distance(one: &str, other: &str) -> f64 {
        let seen = |text: &str, eye| oklab(product(eye, linear(text)));
        EYES.iter()
            .map(|&eye| {
                let (one, other) = (seen(one, eye), seen(other, eye));
                one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn lines_stand_out_from_the_paper() {
        for hue in HUES {
            // WCAG 2.2, 1.4.11: graphical objects, 3 to 1.
            assert!(contrast(hue.light, PAPER.light) >= 3.0, "{}", hue.light);
            assert!(contrast(hue.dark, PAPER.dark) >= 3.0, "{}", hue.dark);
        }
    }

    #[test]
    fn colours_stay_apart_for_every_eye() {
        for scheme in [|hue: Hue| hue.light, |hue: Hue| hue.dark] {
            for (index, one) in HUES.iter().enumerate() {
                for other in &HUES[index + 1..] {
                    let (one, other) = (scheme(*one), scheme(*other));
                    let distance = distance(one, other);
                    assert!(distance >= 0.04, "{one} and {other}: {distance:.3}");
                }
            }
        }
    }

    #[test]
    fn no_two_have_one_marker() {
        let markers: std::collections::BTreeSet<_> = HUES.iter().map(|hue| hue.marker).collect();
        assert_eq!(markers.len(), HUES.len());
    }
}
