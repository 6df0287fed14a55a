//! Numbers in rules, such as widths and indices: `m`, `i-j+1`, `2^m-1`.

use super::bindings::Bindings;
use auspex_logic::value::Int;

/// The letters for numbers.
pub const LETTERS: [char; 8] = ['n', 'm', 'e', 's', 'k', 'l', 'i', 'j'];

/// The place of a letter among the numbers of a rule.
pub fn slot(letter: char) -> Option<u8> {
    let at = LETTERS.iter().position(|known| *known == letter)?;
    Some(at as u8)
}

/// A sum of letters, powers of two and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    constant: i64,
    parts: Box<[(i64, Atom)]>,
}

/// A letter, or two to the power of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atom {
    Letter(u8),
    Power(u8),
}

impl Size {
    pub fn read(text: &str) -> Option<Size> {
        let (mut constant, mut parts) = (0i64, Vec::new());
        let mut rest = text;
        let mut sign = 1;
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let part = &rest[..end];
            match part.parse::<i64>() {
                Ok(number) => constant = constant.checked_add(sign * number)?,
                Err(_) => parts.push((sign, Atom::read(part)?)),
            }
            match rest.get(end..end + 1) {
                None => break,
                Some(symbol) => sign = if symbol == "-" { -1 } else { 1 },
            }
            rest = &rest[end + 1..];
        }
        let parts = parts.into();
        Some(Size { constant, parts })
    }

    pub fn of(number: u64) -> Option<Size> {
        let constant = i64::try_from(number).ok()?;
        let parts = Box::default();
        Some(Size { constant, parts })
    }

    /// The number, if every letter is bound and powers of two fit.
    pub fn value(&self, bindings: &Bindings) -> Option<Int> {
        let mut sum = Int::from(self.constant);
        for (sign, atom) in &self.parts {
            let part = atom.value(bindings)?;
            sum = if *sign < 0 {
                sum.sub(&part)
            } else {
                sum.add(&part)
            };
        }
        Some(sum)
    }

    pub fn index(&self, bindings: &Bindings) -> Option<u64> {
        match *self.parts {
            [] => u64::try_from(self.constant).ok(),
            [(1, Atom::Letter(slot))] if self.constant == 0 => bindings.number(slot),
            _ => self.value(bindings)?.to_u64(),
        }
    }

    pub fn width(&self, bindings: &Bindings) -> Option<u32> {
        u32::try_from(self.index(bindings)?).ok()
    }

    /// Makes it equal to a number, binding its open letter if it has just one.
    pub fn matches(&self, number: u64, bindings: &mut Bindings) -> bool {
        match *self.parts {
            [] => u64::try_from(self.constant) == Ok(number),
            [(1, Atom::Letter(slot))] if self.constant == 0 => bindings.bind_number(slot, number),
            _ => self.equals(&Int::from(number), bindings),
        }
    }

    /// The same for a number of any size.
    pub fn equals(&self, number: &Int, bindings: &mut Bindings) -> bool {
        let mut rest = number.sub(&Int::from(self.constant));
        let mut open = None;
        for (sign, atom) in &self.parts {
            match (atom.value(bindings), atom) {
                (Some(part), _) if *sign > 0 => rest = rest.sub(&part),
                (Some(part), _) => rest = rest.add(&part),
                (None, Atom::Letter(slot)) if open.is_none() => open = Some((*sign, *slot)),
                (None, _) => return false,
            }
        }
        let Some((sign, slot)) = open else {
            return rest == Int::ZERO;
        };
        let value = if sign > 0 { rest } else { rest.neg() };
        let value = value.to_u64();
        value.is_some_and(|value| bindings.bind_number(slot, value))
    }

    /// The letter, if it is nothing else.
    pub fn letter(&self) -> Option<u8> {
        match *self.parts {
            [(1, Atom::Letter(slot))] if self.constant == 0 => Some(slot),
            _ => None,
        }
    }

    pub fn letters(&self) -> impl Iterator<Item = u8> + '_ {
        let slot = |(_, atom): &(i64, Atom)| match atom {
            Atom::Letter(slot) | Atom::Power(slot) => *slot,
        };
        self.parts.iter().map(slot)
    }
}

impl Atom {
    fn read(text: &str) -> Option<Atom> {
        let letter = |text: &str| {
            let mut chars = text.chars();
            let slot = slot(chars.next()?)?;
            chars.next().is_none().then_some(slot)
        };
        match text.strip_prefix("2^") {
            Some(power) => letter(power).map(Atom::Power),
            None => letter(text).map(Atom::Letter),
        }
    }

    fn value(self, bindings: &Bindings) -> Option<Int> {
        match self {
            Atom::Letter(slot) => bindings.number(slot).map(Int::from),
            Atom::Power(slot) => Int::power_of_two(bindings.number(slot)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_with_letters() {
        let mut bindings = Bindings::default();
        bindings.set_number('m', 5);
        bindings.set_number('i', 2);
        let value = |text: &str| Size::read(text).and_then(|size| size.value(&bindings));
        assert_eq!(value("m-i+1"), Some(Int::from(4)));
        assert_eq!(value("2^m-1"), Some(Int::from(31)));
        assert_eq!(value("k"), None);
    }

    #[test]
    fn solves_for_the_one_open_letter() {
        let mut bindings = Bindings::default();
        bindings.set_number('m', 5);
        let size = Size::read("m-i").expect("a size");
        assert!(!size.matches(6, &mut bindings));
        assert!(size.matches(3, &mut bindings));
        assert_eq!(size.index(&bindings), Some(3));
        assert!(!size.matches(4, &mut bindings));
        assert_eq!(Size::read("q"), None);
    }
}
