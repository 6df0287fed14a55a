//! Which parts of one word belong to which parts of one expression, as bit matrices.
//!
//! The cost is polynomial in the word for every expression, also where derivatives would grow without bound.

use rustc_hash::FxHashMap;

use super::regex_states::{Class, Form, State, States};
use super::string::TooLarge;

/// The most bits that the matrices of one expression may take together.
const MAX_BITS: usize = 1 << 30;

/// Row `i` holds the ends `j` such that the part of the word from `i` to `j` belongs to the language.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Matrix {
    size: usize,
    words_per_row: usize,
    bits: Vec<u64>,
}

impl Matrix {
    fn empty(size: usize) -> Self {
        let words_per_row = size.div_ceil(64);
        let bits = vec![0; size * words_per_row];
        Self {
            size,
            words_per_row,
            bits,
        }
    }

    fn identity(size: usize) -> Self {
        let mut matrix = Self::empty(size);
        (0..size).for_each(|i| matrix.set(i, i));
        matrix
    }

    fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words_per_row + column / 64] |= 1 << (column % 64);
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words_per_row..][..self.words_per_row]
    }

    pub(super) fn has(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 == 1
    }

    /// The first column of a row that is set, not before `from`.
    pub(super) fn first_from(&self, row: usize, from: usize) -> Option<usize> {
        (from..self.size).find(|&column| self.has(row, column))
    }

    fn columns(&self, row: usize) -> Vec<usize> {
        let mut columns = Vec::new();
        for (at, &word) in self.row(row).iter().enumerate() {
            let mut word = word;
            while word != 0 {
                columns.push(at * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
        columns
    }

    /// Adds row `from` of `other` to row `to`.
    fn add_row(&mut self, to: usize, other: &Self, from: usize) {
        let row = &mut self.bits[to * self.words_per_row..][..self.words_per_row];
        row.iter_mut()
            .zip(other.row(from))
            .for_each(|(a, b)| *a |= b);
    }

    fn zip(&self, other: &Self, combine: fn(u64, u64) -> u64) -> Self {
        let bits = self.bits.iter().zip(&other.bits);
        let bits = bits.map(|(&a, &b)| combine(a, b)).collect();
        Self {
            bits,
            ..Self::empty_shape(self)
        }
    }

    fn empty_shape(like: &Self) -> Self {
        Self {
            size: like.size,
            words_per_row: like.words_per_row,
            bits: Vec::new(),
        }
    }

    /// All `i` to `j` with `i` up to `j` that are not set.
    fn complement(&self) -> Self {
        let mut result = Self::empty(self.size);
        for row in 0..self.size {
            for column in row..self.size {
                if !self.has(row, column) {
                    result.set(row, column);
                }
            }
        }
        result
    }
}

impl States {
    /// The matrix of a form for a word of classes.
    pub(super) fn matrix(&mut self, root: State, word: &[Class]) -> Result<Matrix, TooLarge> {
        let size = word.len() + 1;
        let mut needed = self.reachable(root);
        needed.sort_unstable();
        let bits = size.checked_mul(size.div_ceil(64) * 64);
        let bits = bits.and_then(|bits| bits.checked_mul(needed.len()));
        bits.filter(|&bits| bits <= MAX_BITS).ok_or(TooLarge)?;
        let mut known: FxHashMap<State, Matrix> = FxHashMap::default();
        for state in needed {
            let matrix = self.matrix_from_parts(state, word, &known)?;
            known.insert(state, matrix);
        }
        known.remove(&root).ok_or(TooLarge)
    }

    /// A form and all its parts.
    fn reachable(&self, root: State) -> Vec<State> {
        let mut seen = rustc_hash::FxHashSet::from_iter([root]);
        let mut order = vec![root];
        let mut at = 0;
        while at < order.len() {
            let parts: Vec<State> = match self.form(order[at]) {
                Form::Chars(_) | Form::Epsilon => vec![],
                Form::Concat(left, right) => vec![*left, *right],
                Form::Star(part) | Form::Loop(part, ..) | Form::Not(part) => vec![*part],
                Form::Union(parts) | Form::Inter(parts) => parts.to_vec(),
            };
            order.extend(parts.into_iter().filter(|&part| seen.insert(part)));
            at += 1;
        }
        order
    }

    fn matrix_from_parts(
        &mut self,
        state: State,
        word: &[Class],
        known: &FxHashMap<State, Matrix>,
    ) -> Result<Matrix, TooLarge> {
        let size = word.len() + 1;
        self.charge(size * size.div_ceil(64))?;
        Ok(match self.form(state).clone() {
            Form::Epsilon => Matrix::identity(size),
            Form::Chars(set) => {
                let mut matrix = Matrix::empty(size);
                for (at, class) in word.iter().enumerate() {
                    if set
                        .iter()
                        .any(|(first, last)| (first..=last).contains(&class))
                    {
                        matrix.set(at, at + 1);
                    }
                }
                matrix
            }
            Form::Concat(left, right) => self.product(&known[&left], &known[&right])?,
            Form::Star(part) => self.closure(&known[&part])?,
            Form::Loop(part, least, most) => self.power_between(&known[&part], least, most)?,
            Form::Not(part) => {
                self.charge(size * size)?;
                known[&part].complement()
            }
            Form::Union(parts) => {
                let matrices = parts.iter().map(|part| &known[part]);
                matrices.fold(Matrix::empty(size), |sum, m| sum.zip(m, |a, b| a | b))
            }
            Form::Inter(parts) => {
                let matrices = parts[1..].iter().map(|part| &known[part]);
                matrices.fold(known[&parts[0]].clone(), |sum, m| sum.zip(m, |a, b| a & b))
            }
        })
    }

    fn product(&mut self, left: &Matrix, right: &Matrix) -> Result<Matrix, TooLarge> {
        let mut result = Matrix::empty(left.size);
        for row in 0..left.size {
            let columns = left.columns(row);
            self.charge((columns.len() + 1) * left.words_per_row)?;
            for column in columns {
                result.add_row(row, right, column);
            }
        }
        Ok(result)
    }

    /// Any number of steps. Parts of a word never run backwards, so later rows are complete first.
    fn closure(&mut self, steps: &Matrix) -> Result<Matrix, TooLarge> {
        let mut result = Matrix::identity(steps.size);
        for row in (0..steps.size).rev() {
            let columns = steps.columns(row);
            self.charge((columns.len() + 1) * steps.words_per_row)?;
            for column in columns.into_iter().filter(|&column| column > row) {
                let target = result.row(column).to_vec();
                let own = &mut result.bits[row * steps.words_per_row..][..steps.words_per_row];
                own.iter_mut().zip(target).for_each(|(a, b)| *a |= b);
            }
        }
        Ok(result)
    }

    fn power_between(&mut self, steps: &Matrix, least: u32, most: u32) -> Result<Matrix, TooLarge> {
        let needed = self.power(steps, least)?;
        let spare = match Self::bound(most) {
            // After as many steps as there are places, more of them that may be left out change nothing.
            Some(most) if ((most - least) as usize) < steps.size => {
                let optional = steps.zip(&Matrix::identity(steps.size), |a, b| a | b);
                self.power(&optional, most - least)?
            }
            _ => self.closure(steps)?,
        };
        self.product(&needed, &spare)
    }

    fn power(&mut self, steps: &Matrix, count: u32) -> Result<Matrix, TooLarge> {
        let mut result = Matrix::identity(steps.size);
        for bit in (0..u32::BITS - count.leading_zeros()).rev() {
            result = self.product(&result, &result)?;
            if count >> bit & 1 == 1 {
                result = self.product(&result, steps)?;
            }
        }
        Ok(result)
    }
}
