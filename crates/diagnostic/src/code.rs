//! The codes of all diagnostics, in one place.
//!
//! A code is part of the interface: people search for it, suppress it, and read its page in
//! `docs/errors/`. It is never given another meaning. A test demands the page.

use std::fmt;

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "json", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// It cannot go on.
    Error,
    /// It can, but perhaps not as was meant.
    Warning,
    /// It is worth knowing.
    Note,
}

impl Severity {
    /// Its name, as it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $summary:literal)*) => {
        /// What kind of thing a diagnostic says, by a name that does not change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $name, "`: ", $summary, ".")] $variant,)*
        }

        impl Code {
            /// All of them, in the order in which they are registered.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// Its name: kebab-case, stable.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// How grave what it says is.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),* }
            }

            /// What it says, in a few words.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$variant => $summary),* }
            }
        }
    };
}

codes! {
    // Characters, and how entries, rows, operands and the result are put together.
    UnexpectedCharacter "unexpected-character" Error "a character that the notation does not have"
    TooLong "too-long" Error "a text longer than is read"
    NumberTooLarge "number-too-large" Error "a number that no axis can reach"
    NegativeNumber "negative-number" Error "a minus sign; positions and sizes count from zero"
    JoinedNumber "joined-number" Error "a number and a name without anything between them"
    StraySign "stray-sign" Error "a `*` or a `?` where neither can stand"
    UnderscoreName "underscore-name" Error "a name that begins with an underscore"
    LettersOrWords "letters-or-words" Warning "a word that may have been meant as letters"
    EmptyEntry "empty-entry" Error "a comma with no axis before it"
    MissingTerm "missing-term" Error "an operator with nothing to operate on"
    MissingResult "missing-result" Error "a specification without `=>` and a result"
    SecondResult "second-result" Error "a specification with more than one result"
    ForeignArrow "foreign-arrow" Error "a specification in another notation"
    NumpyResult "numpy-result" Error "a result that NumPy's `einsum` does not have"
    KindsOutOfOrder "kinds-out-of-order" Error "the kinds of a shape in another order than batch, input, output"
    // Rows.
    LoneDots "lone-dots" Error "dots that are no ellipsis"
    TwoEllipses "two-ellipses" Error "a row with two ellipses"
    ReservedRowName "reserved-row-name" Error "a row variable with the name of a kind"
    NameClash "name-clash" Error "one name for two kinds of thing"
    // Axes with parts.
    Ampersand "ampersand" Error "axes merged with an ampersand"
    UnbalancedParenthesis "unbalanced-parenthesis" Error "a parenthesis without its other"
    EmptyGroup "empty-group" Error "parentheses with nothing in them"
    NestedEntry "nested-entry" Error "an axis inside of another that takes names and sizes only"
    FreshInConcat "fresh-in-concat" Error "`_` as a part of a concatenation"
    UnnamedConcat "unnamed-concat" Error "a concatenation of sizes only"
    ZeroPart "zero-part" Error "a 0 where a size is computed or counted"
    // Strides and windows.
    BadMargins "bad-margins" Error "margins of a window that are none"
    MissingMarker "missing-marker" Error "a window that does not say what happens at the border"
    StrayMarker "stray-marker" Error "a marker of a window where there is none"
    TooManyTerms "too-many-terms" Error "an axis with more terms than a window has"
    CoefficientOrder "coefficient-order" Error "a coefficient behind its axis"
    ZeroCoefficient "zero-coefficient" Error "a stride or dilation of 0"
    OffsetPastStride "offset-past-stride" Error "an offset that is not below its stride"
    UnboundCoefficient "unbound-coefficient" Error "a coefficient by a name that has no number"
    // Shapes.
    MissingBasis "missing-basis" Error "an underscore or a colon with no basis after it"
    StrayBasis "stray-basis" Error "a basis where none can stand"
    BracketedShape "bracketed-shape" Error "a shape in brackets"
    SpecForShape "spec-for-shape" Error "a specification where a shape is expected"
    // A specification and what it is used with.
    OperandCount "operand-count" Error "more or fewer operands than the specification reads"
    UnknownName "unknown-name" Error "a name that the specification does not have"
    ResultOnlyName "result-only-name" Warning "a name that only the result of a specification has"
    RankMismatch "rank-mismatch" Error "an operand with more or fewer axes than the specification reads"
    SizeMismatch "size-mismatch" Error "one axis, two sizes"
    BasisMismatch "basis-mismatch" Error "one axis, two bases"
    RowMismatch "row-mismatch" Error "one row variable, two rows"
    IndexPastEnd "index-past-end" Error "a fixed index at or past the end of its axis"
    StrideMismatch "stride-mismatch" Error "a stride or window that the size of its axis does not fit"
    ConcatMismatch "concat-mismatch" Error "parts that do not add up to their concatenation"
    MergeMismatch "merge-mismatch" Error "factors that do not multiply to their merged axis"
    // A program: operations that do not fit together.
    RankConflict "rank-conflict" Error "a row that would need more axes than it can have"
    ElementsMismatch "elements-mismatch" Error "two numbers of elements for one tensor"
    ChoiceConflict "choice-conflict" Error "an operation that fits only if an axis is inserted where nothing says so"
    RowScaled "row-scaled" Error "a row variable where the size of one axis is needed"
    NoSpecification "no-specification" Error "a captured name of a tensor that no specification made"
    ForeignTensor "foreign-tensor" Error "a tensor or a size of another session"
    NewerTensor "newer-tensor" Error "a tensor made after the program was closed"
    NoSuchAxis "no-such-axis" Error "an axis by a number that a shape does not have"
    NotAName "not-a-name" Error "a size by something that is not a name"
    NotARelation "not-a-relation" Error "a declaration that says nothing of sizes"
    AllowedError "allowed-error" Error "an error among what is allowed"
    WorkExhausted "work-exhausted" Error "a program beyond the budget of work"
    // A program: the values of named sizes.
    RangeEmpty "range-empty" Error "ranges of a named size that have no value in common"
    OutOfRange "out-of-range" Error "a value that the range of a named size does not have"
    PinnedSize "pinned-size" Error "a size that has to stay free, and is not"
    SpecialisedSize "specialised-size" Warning "a named size that has to be a number"
    // A program: the loops of an operation.
    NoLoops "no-loops" Error "an operation that no loop nest describes"
    AmbiguousParts "ambiguous-parts" Error "two operands for one part of a concatenation"
    ExcludedParts "excluded-parts" Error "parts of concatenations that leave nothing to read or write"
    // A program: closing it.
    HiddenSize "hidden-size" Error "an axis whose size nothing determines"
    HiddenRank "hidden-rank" Error "a parameter whose number of axes nothing determines"
    UnusedParameter "unused-parameter" Error "a parameter that nothing uses"
    DisputedParameter "disputed-parameter" Error "uses of a parameter that do not agree on its shape"
    Unsettled "unsettled" Error "rows that no shape was found for"
    SymbolicSize "symbolic-size" Error "sizes that nobody says, of which one that stays open is made up"
    NeedsChoice "needs-choice" Error "a shape that only a choice determines"
    EmptyAxis "empty-axis" Warning "an axis of size 0"
    PlacementCompetes "placement-competes" Warning "two declarations of where a row is broadcast"
    StretchedParameter "stretched-parameter" Warning "a parameter with an axis that stretches, as its uses ask for different sizes"
    DataSizedParameter "data-sized-parameter" Warning "a parameter that takes a named size of data"
    PointwiseParameter "pointwise-parameter" Warning "a parameter of pointwise operations only that took two axes or more"
    BroadcastInstead "broadcast-instead" Note "a tensor that is broadcast, as its uses do not agree on its size"
    AxesOverlap "axes-overlap" Note "axes of which it depends on sizes whether they are the same"
    WindowPastEnd "window-past-end" Note "a valid window that begins at an offset and reaches past the end of its axis"
    CappedSize "capped-size" Note "an open size that is too large to be written out"
    // A program of tensors: element types, literals, assignments, gradients.
    MixedTypes "mixed-types" Error "two element types where one is needed"
    RaggedLiteral "ragged-literal" Error "a nested literal whose parts have different lengths"
    NoSlot "no-slot" Error "a name in an operation's definition that claims none of its tensors"
    NoDerivative "no-derivative" Error "a gradient through what has none"
    ManyElements "many-elements" Error "a cell that is set to more than one element"
    StaleRead "stale-read" Error "a tensor that is read after an assignment has replaced it"
    // A model file: what it is made of.
    UnreadableModel "unreadable-model" Error "a file that no model can be read from"
    AxisTooShort "axis-too-short" Error "an axis shorter than an operator needs"
    MissingInput "missing-input" Error "an operator without an input that it needs"
    BadAttribute "bad-attribute" Error "an attribute or a constant that its operator cannot run with"
    UndefinedValue "undefined-value" Error "a value that nothing gives"
    BranchMismatch "branch-mismatch" Warning "a branch that cannot run with these sizes"
    DeclaredShape "declared-shape" Warning "a value whose shape is another than its file says"
    BadRule "bad-rule" Error "a rule for an operator that cannot be read"
    UnknownOperator "unknown-operator" Warning "an operator without a rule"
    StretchedBoth "stretched-both" Warning "two values that broadcasting stretches to each other"
    StretchedAxis "stretched-axis" Note "an axis that broadcasting stretches"
    OpenShape "open-shape" Note "a value whose number of axes only a run tells"
    SizeRequired "size-required" Note "what has to hold of sizes that stay open"
    SizeFollows "size-follows" Note "why an axis has the size it has"
}

impl Code {
    /// Whether somebody who has read it may be told no more of it: warnings and notes, never errors.
    pub const fn can_be_allowed(self) -> bool {
        !matches!(self.severity(), Severity::Error)
    }

    /// The code with this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
