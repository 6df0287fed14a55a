//! Fills a kit with sorts, the operators that give them, and small terms by value.

use super::kit::{Group, Instance, Kind, Kit, Law, Root, SortNo, Spec, Synonym, skewed};
use crate::corner::{corner_values, is_writable};
use crate::draw::Draw;
use crate::rules::pattern::Node;
use crate::rules::{self, Rule};
use auspex_logic::theory::{Args, Meaning, SolverSet};
use auspex_logic::{
    Head, OpDecl, OpTable, Sort, SortKind, TermId, Terms, Theory, TheorySet, Value,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most sorts of a kit.
const MOST_SORTS: usize = 480;
/// The widest bit-vectors.
const WIDEST: u32 = 130;
/// Further widths of bit-vectors: small ones, and those at the borders of machine words.
const WIDTHS: [u32; 14] = [8, 2, 3, 5, 16, 32, 64, 65, 7, 31, 33, 63, 127, 128];
/// Further formats: those of the standard, the smallest, and some with few exponents for many digits and the reverse.
const FORMATS: [(u32, u32); 9] = [
    (8, 24),
    (3, 5),
    (11, 53),
    (2, 6),
    (2, 2),
    (5, 11),
    (2, 11),
    (8, 8),
    (15, 113),
];
/// The formats that bitwuzla takes.
const STANDARD: [(u32, u32); 4] = [(5, 11), (8, 24), (11, 53), (15, 113)];
/// The number of basic sorts whose pairs make arrays.
const BASIC: usize = 8;

pub(super) struct Builder {
    terms: Terms,
    table: Arc<OpTable>,
    theories: Vec<Theory>,
    solvers: SolverSet,
    numbers: FxHashMap<Sort, SortNo>,
    sorts: Vec<Sort>,
    kinds: Vec<Kind>,
    /// Stops adding arrays, sequences, sets and bags, which operators would nest without end.
    closed: bool,
    draw: Draw,
}

impl Builder {
    pub fn new(theories: &[Theory], solvers: SolverSet) -> Self {
        let table = OpTable::builtin();
        let all = theories.is_empty();
        let wanted = |t: &Theory| all || theories.contains(t) || *t == Theory::Core;
        Builder {
            terms: Terms::with_table(table.clone()),
            table,
            theories: Theory::ALL.into_iter().filter(wanted).collect(),
            solvers,
            numbers: FxHashMap::default(),
            sorts: Vec::new(),
            kinds: Vec::new(),
            closed: false,
            // Fixed numbers, because a kit must be the same on every machine.
            draw: Draw::new(0x6b69_7400, 0),
        }
    }

    pub fn finish(mut self) -> Kit {
        self.first_sorts();
        self.closed = true;
        let mut at = 0;
        while at < self.kinds.len() {
            self.fill_groups(SortNo(at as u16));
            at += 1;
        }
        self.fill_takers();
        for at in 0..self.kinds.len() {
            self.fill_synonyms(at);
        }
        let (roots, rules, careful) = (self.roots(), self.rules(), self.is_careful());
        let datatypes = self.has_datatypes();
        let specs = self.kinds.iter().map(|kind| kind.spec);
        let numbers = specs.zip((0..).map(SortNo)).collect();
        Kit {
            kinds: self.kinds,
            roots,
            rules,
            numbers,
            table: self.table,
            careful,
            datatypes,
        }
    }

    /// Whether all solvers support datatypes, which have no row since scripts declare them.
    fn has_datatypes(&self) -> bool {
        let able = SolverSet::Z3.union(SolverSet::CVC5).union(SolverSet::CVC4);
        self.theories.contains(&Theory::Datatypes) && able.includes(self.solvers)
    }

    /// Whether all solvers support an operator.
    fn known(&self, decl: &OpDecl) -> bool {
        if self.solvers == SolverSet(0) {
            decl.known.is_standard()
        } else {
            decl.known.includes(self.solvers)
        }
    }

    fn usable(&self, decl: &OpDecl) -> bool {
        !matches!(decl.meaning, Meaning::None(_))
            && self.theories.contains(&decl.theory)
            && self.known(decl)
    }

    fn has(&self, theory: Theory) -> bool {
        let mut rows = self.table.rows().iter();
        rows.any(|decl| decl.theory == theory && self.usable(decl))
    }

    /// The initial sorts, simplest first; operators add more.
    fn first_sorts(&mut self) {
        let mut basic = vec![Sort::BOOL];
        let careful = self.is_careful();
        let sorts = &mut self.terms.sorts;
        let (w4, w1) = (sorts.bit_vec(4), sorts.bit_vec(1));
        let float = if careful {
            sorts.float(8, 24)
        } else {
            sorts.float(5, 11)
        };
        let with_ints = [
            Theory::Ints,
            Theory::Strings,
            Theory::Regex,
            Theory::Sequences,
            Theory::Sets,
            Theory::Bags,
        ];
        let candidates = [
            (Theory::BitVectors, w4),
            (Theory::Strings, Sort::STRING),
            (Theory::Reals, Sort::REAL),
            (Theory::FloatingPoint, float),
            (Theory::BitVectors, w1),
        ];
        if with_ints.into_iter().any(|t| self.has(t)) {
            basic.push(Sort::INT);
        }
        basic.extend(
            candidates
                .into_iter()
                .filter(|(t, _)| self.has(*t))
                .map(|(_, s)| s),
        );
        basic.truncate(BASIC);
        basic.iter().for_each(|sort| {
            self.number(*sort);
        });
        self.other_widths();
        self.compound_sorts(&basic);
    }

    fn other_widths(&mut self) {
        if self.has(Theory::BitVectors) {
            for width in WIDTHS {
                let sort = self.terms.sorts.bit_vec(width);
                self.number(sort);
            }
        }
        if self.has(Theory::FloatingPoint) {
            self.number(Sort::ROUNDING_MODE);
            for (eb, sb) in FORMATS {
                let sort = self.terms.sorts.float(eb, sb);
                self.number(sort);
            }
        }
        if self.has(Theory::Regex) {
            self.number(Sort::REG_LAN);
        }
    }

    fn compound_sorts(&mut self, basic: &[Sort]) {
        let few = &basic[..basic.len().min(4)];
        for (theory, make) in [
            (Theory::Sequences, SortKind::Seq as fn(Sort) -> SortKind),
            (Theory::Sets, SortKind::Set),
            (Theory::Bags, SortKind::Bag),
        ] {
            if self.has(theory) {
                for element in few {
                    let sort = self.terms.sorts.intern(make(*element));
                    self.number(sort);
                }
            }
        }
        if self.has(Theory::Arrays) {
            self.array_sorts(basic, few);
            self.wide_array_sorts();
        }
    }

    /// Arrays over every pair of basic sorts, then arrays in arrays on either side.
    fn array_sorts(&mut self, basic: &[Sort], few: &[Sort]) {
        for index in basic {
            for element in basic {
                self.array_sort(*index, *element);
            }
        }
        for one in few {
            for other in few {
                let inner = self.terms.sorts.array(*one, *other);
                self.array_sort(*one, inner);
                self.array_sort(inner, *other);
            }
        }
    }

    /// Arrays over bit-vectors of every width up to 64 and over every float, and arrays in arrays in arrays.
    fn wide_array_sorts(&mut self) {
        const WIDTHS: u32 = 64;
        let (vectors, floats) = (
            self.has(Theory::BitVectors),
            self.has(Theory::FloatingPoint),
        );
        for width in (1..=WIDTHS).filter(|_| vectors) {
            let vector = self.terms.sorts.bit_vec(width);
            let other = match width % 4 {
                0 => (vector, Sort::BOOL),
                1 => (Sort::INT, vector),
                2 => (vector, Sort::INT),
                _ => (Sort::BOOL, vector),
            };
            self.array_sort(vector, vector);
            self.array_sort(other.0, other.1);
        }
        for (eb, sb) in [(8, 24), (5, 11), (3, 5), (11, 53)]
            .into_iter()
            .filter(|_| floats)
        {
            let float = self.terms.sorts.float(eb, sb);
            self.array_sort(float, Sort::BOOL);
            self.array_sort(Sort::INT, float);
            self.array_sort(float, float);
        }
        for plain in [Sort::BOOL, Sort::INT] {
            let inner = self.terms.sorts.array(plain, plain);
            let middle = self.terms.sorts.array(plain, inner);
            self.array_sort(plain, middle);
            self.array_sort(middle, plain);
        }
    }

    fn array_sort(&mut self, index: Sort, element: Sort) {
        let sort = self.terms.sorts.array(index, element);
        self.number(sort);
    }

    /// The number of a sort, which is added if it is new and usable.
    fn number(&mut self, sort: Sort) -> Option<SortNo> {
        if let Some(number) = self.numbers.get(&sort) {
            return Some(*number);
        }
        let compound = !self.terms.sorts.parts(sort).is_empty();
        if self.kinds.len() >= MOST_SORTS || compound && self.closed {
            return None;
        }
        let (spec, theories) = self.spec(sort)?;
        let number = SortNo(self.kinds.len() as u16);
        let (values, writers) = self.pool(sort);
        let (small, finite) = self.size(spec);
        self.numbers.insert(sort, number);
        self.sorts.push(sort);
        self.kinds.push(Kind {
            spec,
            theories,
            values,
            written: writers.is_some(),
            writers: writers.unwrap_or_default(),
            small,
            finite,
            groups: Vec::new(),
            takers: Vec::new(),
            synonyms: FxHashMap::default(),
        });
        Some(number)
    }

    /// Whether a sort is small, and whether it is finite.
    fn size(&self, spec: Spec) -> (bool, bool) {
        const SHORT: u32 = 4;
        let kind = |sort: SortNo| &self.kinds[usize::from(sort.0)];
        let plain = |sort: SortNo| {
            let nested = matches!(
                kind(sort).spec,
                Spec::Array(..) | Spec::Seq(_) | Spec::Set(_) | Spec::Bag(_)
            );
            kind(sort).small && !nested
        };
        match spec {
            Spec::Fixed(Sort::BOOL | Sort::ROUNDING_MODE) => (true, true),
            Spec::Fixed(_) => (true, false),
            Spec::BitVec(width) => (width <= SHORT, width <= SHORT),
            Spec::Float(eb, sb) => (eb + sb <= 16 || self.is_careful(), false),
            Spec::Array(index, element) => {
                let finite = kind(index).finite && kind(element).finite;
                (plain(index) && plain(element), finite)
            }
            Spec::Seq(element) | Spec::Bag(element) => (plain(element), false),
            Spec::Set(element) => (plain(element), kind(element).finite),
        }
    }

    /// To cvc5 and CVC4 formats other than single and double are experimental, to bitwuzla all but the standard's.
    fn takes_format(&self, eb: u32, sb: u32) -> bool {
        if self.is_careful() {
            return [(8, 24), (11, 53)].contains(&(eb, sb));
        }
        let is_strict = self.solvers.0 & SolverSet::BITWUZLA.0 != 0;
        eb + sb <= WIDEST && (!is_strict || STANDARD.contains(&(eb, sb)))
    }

    fn is_careful(&self) -> bool {
        self.solvers.0 & SolverSet::CVC5.union(SolverSet::CVC4).0 != 0
    }

    fn spec(&mut self, sort: Sort) -> Option<(Spec, TheorySet)> {
        let kind = self.terms.sorts.kind(sort).clone();
        let needs = TheorySet::one;
        Some(match kind {
            SortKind::Bool | SortKind::Int | SortKind::Real => {
                (Spec::Fixed(sort), TheorySet::default())
            }
            SortKind::String => (Spec::Fixed(sort), needs(Theory::Strings)),
            SortKind::RegLan => (Spec::Fixed(sort), needs(Theory::Regex)),
            SortKind::RoundingMode => (Spec::Fixed(sort), needs(Theory::FloatingPoint)),
            SortKind::BitVec(width) if width <= WIDEST => {
                (Spec::BitVec(width), needs(Theory::BitVectors))
            }
            SortKind::Float { eb, sb } if self.takes_format(eb, sb) => {
                (Spec::Float(eb, sb), needs(Theory::FloatingPoint))
            }
            // cvc5 does not support arrays indexed by arrays.
            SortKind::Array(index, _) if self.is_careful() && is_array(&self.terms, index) => {
                return None;
            }
            SortKind::Array(index, element) => {
                let (index, element) = (self.number(index)?, self.number(element)?);
                let parts = self.theories_of(index).union(self.theories_of(element));
                let all = parts.union(TheorySet::one(Theory::Arrays));
                (Spec::Array(index, element), all)
            }
            SortKind::Seq(e) => self.spec_of(e, Theory::Sequences, Spec::Seq)?,
            SortKind::Set(e) => self.spec_of(e, Theory::Sets, Spec::Set)?,
            SortKind::Bag(e) => self.spec_of(e, Theory::Bags, Spec::Bag)?,
            _ => return None,
        })
    }

    fn spec_of(
        &mut self,
        element: Sort,
        theory: Theory,
        make: fn(SortNo) -> Spec,
    ) -> Option<(Spec, TheorySet)> {
        let element = self.number(element)?;
        let all = self.theories_of(element).union(TheorySet::one(theory));
        Some((make(element), all))
    }

    fn theories_of(&self, sort: SortNo) -> TheorySet {
        self.kinds[usize::from(sort.0)].theories
    }

    /// The corner values of a sort, and the rows that write them if all solvers support these.
    fn pool(&mut self, sort: Sort) -> (Vec<Value>, Option<Vec<u32>>) {
        const MOST: usize = 48;
        let mut values = corner_values(&self.terms.sorts, sort);
        values.truncate(MOST);
        let mut rows = Vec::new();
        for value in &values {
            match self.terms.value_term(value, sort) {
                Some(term) => self.rows_in(term, &mut rows),
                None => return (values, None),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        let table = &self.table;
        let known = rows
            .iter()
            .all(|row| self.known(&table.rows()[*row as usize]));
        (values, known.then_some(rows))
    }

    fn rows_in(&self, term: TermId, rows: &mut Vec<u32>) {
        for part in auspex_logic::render::post_order(&self.terms, term) {
            if let Head::Op(op) = self.terms.head(part) {
                rows.push(self.terms.op_row(op) as u32);
            }
        }
    }

    /// Finds the operators that give a sort, by asking every signature.
    fn fill_groups(&mut self, result: SortNo) {
        let table = self.table.clone();
        let hints = self.hints(result);
        for (row, decl) in table.rows().iter().enumerate() {
            if !self.usable(decl) {
                continue;
            }
            let mut instances = self.instances(row as u32, decl, result, &hints);
            if instances.is_empty() {
                continue;
            }
            let last = |i: &Instance| i.args.iter().map(|a| a.0).max();
            instances.sort_by_key(|i| (!i.small, !i.finite, last(i)));
            let theory = TheorySet::one(decl.theory);
            let groups = &mut self.kinds[usize::from(result.0)].groups;
            match groups.iter_mut().find(|group| group.theory == theory) {
                Some(group) => group.rows.push(instances),
                None => groups.push(Group {
                    theory,
                    rows: vec![instances],
                }),
            }
        }
    }

    /// The sorts that arguments of an operator with this result may have: basic ones and those made of it.
    /// Predicates and measures take anything.
    fn hints(&self, result: SortNo) -> Vec<Sort> {
        let sort = self.sorts[usize::from(result.0)];
        if matches!(sort, Sort::BOOL | Sort::INT) {
            return self.sorts.clone();
        }
        let near = |other: &Sort| {
            let parts = self.terms.sorts.parts(*other);
            parts.is_empty() || *other == sort || parts.contains(&sort)
        };
        self.sorts.iter().copied().filter(near).collect()
    }

    fn instances(
        &mut self,
        row: u32,
        decl: &OpDecl,
        result: SortNo,
        hints: &[Sort],
    ) -> Vec<Instance> {
        let mut found: Vec<Instance> = Vec::new();
        let sort = self.sorts[usize::from(result.0)];
        let mut tries = 2;
        while tries > 0 {
            tries -= 1;
            let sorts = &mut self.terms.sorts;
            let proposal = decl
                .sig
                .propose(sorts, sort, hints, &mut self.draw.chooser());
            let Some(proposal) = proposal else {
                break;
            };
            let args: Option<Box<[SortNo]>> =
                proposal.params.iter().map(|p| self.number(*p)).collect();
            let Some(args) = args else { continue };
            if !self.fits(decl, &proposal.indices, &proposal.params, sort) {
                continue;
            }
            let instance = self.instance(row, decl, result, proposal.indices, args);
            if !found.contains(&instance) {
                // What varies once may vary further.
                tries += if found.is_empty() { 0 } else { 3 };
                found.push(instance);
            }
            const MOST: usize = 40;
            if found.len() >= MOST {
                break;
            }
        }
        found
    }

    fn instance(
        &self,
        row: u32,
        decl: &OpDecl,
        result: SortNo,
        indices: Vec<u64>,
        args: Box<[SortNo]>,
    ) -> Instance {
        let sorts = args.iter().chain([&result]);
        let kinds: Vec<&Kind> = sorts.map(|s| &self.kinds[usize::from(s.0)]).collect();
        let theories = kinds
            .iter()
            .fold(TheorySet::default(), |all, kind| all.union(kind.theories));
        let small = kinds.iter().all(|kind| kind.small);
        let finite = kinds.iter().all(|kind| kind.finite);
        Instance {
            row,
            indices: indices.into(),
            values_only: self.is_careful() && decl.sig.qualified && !args.is_empty(),
            hard: decl.nonlinear && !matches!(decl.theory, Theory::Ints | Theory::Reals),
            args,
            theories,
            small,
            finite: small && finite,
        }
    }

    /// Whether the signature takes these sorts, so that no application need be checked again.
    fn fits(&mut self, decl: &OpDecl, indices: &[u64], params: &[Sort], result: Sort) -> bool {
        let sorts = &mut self.terms.sorts;
        match decl.sig.qualified {
            true => decl.sig.fits(sorts, indices, params, result),
            false => decl.sig.infer(sorts, indices, params) == Some(result),
        }
    }

    /// Records every operator with its argument sorts.
    fn fill_takers(&mut self) {
        let mut takers: Vec<Vec<(SortNo, Instance)>> = vec![Vec::new(); self.kinds.len()];
        for (number, kind) in (0..).map(SortNo).zip(&self.kinds) {
            let instances = kind.groups.iter().flat_map(|g| g.rows.iter().flatten());
            for instance in instances.filter(|i| kind.is_first_class() && !i.values_only) {
                let mut args = instance.args.to_vec();
                args.dedup();
                for arg in args {
                    takers[usize::from(arg.0)].push((number, instance.clone()));
                }
            }
        }
        for (kind, takers) in self.kinds.iter_mut().zip(takers) {
            kind.takers = takers;
        }
    }

    /// Evaluates operations on corner values and stores them by result.
    fn fill_synonyms(&mut self, at: usize) {
        const MOST: usize = 150;
        let mut synonyms: FxHashMap<Value, Vec<Synonym>> = FxHashMap::default();
        let instances: Vec<Instance> = self.kinds[at]
            .groups
            .iter()
            .flat_map(|group| group.rows.iter().flatten())
            .filter(|i| !i.args.is_empty())
            .cloned()
            .collect();
        if instances.is_empty() || self.kinds[at].values.is_empty() {
            return;
        }
        for turn in 0..MOST {
            // First every operator once, then random ones.
            let instance = match instances.get(turn) {
                Some(instance) => instance,
                None => &instances[self.draw.index(instances.len())],
            };
            if let Some((value, places)) = self.example(instance, self.sorts[at]) {
                synonyms.entry(value).or_default().push(Synonym {
                    instance: instance.clone(),
                    values: places,
                });
            }
        }
        self.kinds[at].synonyms = synonyms;
    }

    /// One evaluation of an operator on corner values that can be written.
    fn example(&mut self, instance: &Instance, sort: Sort) -> Option<(Value, Box<[u16]>)> {
        let mut places = Vec::with_capacity(instance.args.len());
        let mut values = Vec::with_capacity(instance.args.len());
        for arg in &instance.args {
            let kind = &self.kinds[usize::from(arg.0)];
            if kind.values.is_empty() {
                return None;
            }
            let place = skewed(kind.values.len(), &mut self.draw);
            let value = &kind.values[place];
            if !kind.written || !is_writable(value, self.is_careful()) {
                return None;
            }
            places.push(place as u16);
            values.push(value.clone());
        }
        let decl = &self.table.rows()[instance.row as usize];
        let value = call(decl, &values, &instance.indices, sort, &self.terms)?;
        Some((value, places.into()))
    }

    /// The proved rules that every solver supports.
    fn rules(&self) -> Vec<(Theory, Vec<Law>)> {
        let mut laws: Vec<(Theory, Vec<Law>)> = Vec::new();
        for rule in rules::laws() {
            if !self.theories.contains(&rule.theory) || !self.can_use(rule) {
                continue;
            }
            let Some(valued) = self.valued(rule) else {
                continue;
            };
            let law = Law {
                rule,
                number_letters: rule.number_letters(),
                sort_letters: rule.sort_letters(),
                valued,
            };
            match laws.iter_mut().find(|(t, _)| *t == rule.theory) {
                Some((_, of_theory)) => of_theory.push(law),
                None => laws.push((rule.theory, vec![law])),
            }
        }
        laws
    }

    fn can_use(&self, rule: &Rule) -> bool {
        let known = rule.known_to();
        let readable = match self.solvers {
            SolverSet(0) => known.is_standard(),
            solvers => known.includes(solvers),
        };
        readable && rule.is_proved()
    }

    /// Some solvers accept only values in constant arrays: such variables of a rule become values. None if a constant
    /// array contains something else.
    fn valued(&self, rule: &Rule) -> Option<Box<[bool]>> {
        let mut valued = vec![false; rule.variables.len()];
        if self.is_careful() {
            for element in rule.elements_of_constants() {
                match element {
                    Node::Variable(at) => valued[usize::from(*at)] = true,
                    constant if constant.is_constant() => {}
                    _ => return None,
                }
            }
        }
        Some(valued.into())
    }

    fn roots(&self) -> Vec<(Theory, Vec<Root>)> {
        let mut roots = Vec::new();
        for theory in &self.theories {
            let mut rows: Vec<Root> = Vec::new();
            let mut at: FxHashMap<u32, usize> = FxHashMap::default();
            for (number, kind) in self.kinds.iter().enumerate() {
                if !kind.is_first_class() {
                    continue;
                }
                let group = kind
                    .groups
                    .iter()
                    .find(|s| s.theory == TheorySet::one(*theory));
                for instance in group.into_iter().flat_map(|s| s.rows.iter().flatten()) {
                    let place = *at.entry(instance.row).or_insert_with(|| {
                        rows.push(Root {
                            instances: Vec::new(),
                        });
                        rows.len() - 1
                    });
                    let root = (SortNo(number as u16), instance.clone());
                    rows[place].instances.push(root);
                }
            }
            for root in &mut rows {
                root.instances.sort_by_key(|(_, i)| (!i.small, !i.finite));
            }
            if !rows.is_empty() {
                roots.push((*theory, rows));
            }
        }
        roots
    }
}

/// The value of an operator's application to values, if it is determined.
pub(super) fn call(
    decl: &OpDecl,
    values: &[Value],
    indices: &[u64],
    sort: Sort,
    terms: &Terms,
) -> Option<Value> {
    match decl.meaning {
        // This code makes no functions as arguments.
        Meaning::None(_) | Meaning::Applying(_) => None,
        Meaning::Strict(meaning) => meaning(&Args {
            values,
            indices,
            sort,
            sorts: &terms.sorts,
        })
        .ok(),
        Meaning::Lazy(meaning) => {
            let options: Vec<Option<Value>> = values.iter().cloned().map(Some).collect();
            meaning(&options)
        }
    }
}

fn is_array(terms: &Terms, sort: Sort) -> bool {
    matches!(terms.sorts.kind(sort), SortKind::Array(..))
}
