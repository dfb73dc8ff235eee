//! The interpreter loop: executes a program's steps.
//!
//! Registers lie on the stack of the call, so a program is shared between threads freely and a
//! call allocates nothing. One step costs about 5 ns (Zen 3), so short
//! kernels are dominated by their number of steps.
//!
//! `unsafe`: raw memory, resting on what the verifier proved of the kernel (each address lies in
//! its buffer for every value of the variables; each value is defined before it is used) and on
//! the lowering (register numbers below [`REGISTERS`], variables below [`VARS`], jumps inside).

use crate::lane::Lane;
use crate::mac::{Register, Walk};
use crate::program::{
    Address, LANES, Limit, Mac, Micro, Program, REGISTERS, Reg, Step, Tile, VARS,
};
use std::mem::MaybeUninit;
use tdse_backend::{EntryPoint, Slot};

/// An instantiation of [`execute`] for a level.
///
/// # Safety
/// The machine has the level; otherwise as [`EntryPoint::call`].
pub(crate) type Run = unsafe fn(&Program, *const Slot);

impl EntryPoint for Program {
    unsafe fn call(&self, slots: *const Slot) {
        // SAFETY: lowering took a proof of the level that `run` was instantiated for; the slots
        // are the caller's promise.
        unsafe { (self.run)(self, slots) }
    }
}

/// Executes a program once.
///
/// # Safety
/// As [`EntryPoint::call`].
#[inline(always)]
pub(crate) unsafe fn execute(program: &Program, slots: *const Slot) {
    let mut registers = [const { MaybeUninit::<Register>::uninit() }; REGISTERS];
    let mut machine = Machine {
        file: registers.as_mut_ptr(),
        vars: [0; VARS],
        terms: &program.terms,
        slots,
    };
    for &(param, var) in &program.indices {
        // SAFETY: there is a slot for each parameter, and this one is an index.
        machine.vars[usize::from(var)] = unsafe { (*slots.add(usize::from(param))).index };
    }
    let mut next = 0;
    while let Some(step) = program.steps.get(next) {
        next += 1;
        match *step {
            // SAFETY: the verifier's and the lowering's guarantees, see the module.
            Step::F64(ref micro) => unsafe { machine.micro::<f64>(micro) },
            // SAFETY: the same.
            Step::F32(ref micro) => unsafe { machine.micro::<f32>(micro) },
            // SAFETY: both are registers of the file; the copy keeps uninitialised bytes so.
            Step::Copy(to, from) => unsafe {
                *machine.file.add(usize::from(to)) = *machine.file.add(usize::from(from));
            },
            Step::Enter { var, lo, hi, end } => {
                let lo = machine.limit(lo);
                machine.vars[usize::from(var)] = lo;
                if lo >= machine.limit(hi) {
                    next = end as usize;
                }
            }
            Step::Again { var, hi, body } => {
                let hi = machine.limit(hi);
                let counter = &mut machine.vars[usize::from(var)];
                *counter += 1;
                if *counter < hi {
                    next = body as usize;
                }
            }
            // SAFETY: the same as for micro-operations, for every trip of the loop replaced.
            Step::Mac(index) => unsafe { machine.mac(&program.macs[index as usize]) },
            // SAFETY: the same, for every tile of the loops replaced.
            Step::Tile(index) => unsafe { machine.tile(&program.tiles[index as usize]) },
        }
    }
}

/// State of one call.
struct Machine<'a> {
    file: *mut MaybeUninit<Register>,
    vars: [i64; VARS],
    terms: &'a [(u16, i64)],
    slots: *const Slot,
}

impl Machine<'_> {
    #[inline(always)]
    fn limit(&self, limit: Limit) -> i64 {
        match limit {
            Limit::Const(number) => number,
            Limit::Var(var) => self.vars[usize::from(var)],
        }
    }

    /// The memory at an address; dereferenceable when the kernel accesses it now.
    ///
    /// # Safety
    /// `at.param` is a buffer of the call.
    #[inline(always)]
    unsafe fn at(&self, at: Address) -> *mut u8 {
        let mut offset = at.constant;
        let first = at.first as usize;
        for &(var, bytes) in &self.terms[first..first + usize::from(at.count)] {
            offset = offset.wrapping_add(self.vars[usize::from(var)].wrapping_mul(bytes));
        }
        // SAFETY: the slot of a buffer parameter holds a pointer.
        let base = unsafe { (*self.slots.add(usize::from(at.param))).pointer };
        base.wrapping_offset(offset as isize)
    }

    /// # Safety
    /// `r` is below [`REGISTERS`] and was written as lanes of `T`.
    #[inline(always)]
    unsafe fn get<T: Lane>(&self, r: Reg) -> [T; LANES] {
        // SAFETY: the caller's promise.
        unsafe { self.file.add(usize::from(r)).cast::<[T; LANES]>().read() }
    }

    /// # Safety
    /// `r` is below [`REGISTERS`].
    #[inline(always)]
    unsafe fn set<T: Lane>(&mut self, r: Reg, lanes: [T; LANES]) {
        // SAFETY: the caller's promise; a register holds eight lanes of either type.
        unsafe {
            self.file
                .add(usize::from(r))
                .cast::<[T; LANES]>()
                .write(lanes)
        }
    }

    /// # Safety
    /// The guarantees of the module.
    #[inline(always)]
    unsafe fn micro<T: Lane>(&mut self, micro: &Micro) {
        // SAFETY: operands were defined before, as lanes of T; addresses lie in their buffers.
        unsafe {
            match *micro {
                Micro::Const(to, value) => self.set(to, [T::from_f64(value); LANES]),
                Micro::Splat(to, a) => self.set(to, [self.get::<T>(a)[0]; LANES]),
                Micro::Load(to, at, lanes) => {
                    let from = self.at(at).cast::<T>().cast_const();
                    self.set(to, load(from, usize::from(lanes)));
                }
                Micro::LoadSplat(to, at) => {
                    let element = self.at(at).cast::<T>().read();
                    self.set(to, [element; LANES]);
                }
                Micro::Add(to, a, b) => self.zip::<T>(to, a, b, |a, b| a + b),
                Micro::Sub(to, a, b) => self.zip::<T>(to, a, b, |a, b| a - b),
                Micro::Mul(to, a, b) => self.zip::<T>(to, a, b, |a, b| a * b),
                Micro::Neg(to, a) => self.zip::<T>(to, a, a, |a, _| -a),
                Micro::Fma(to, a, b, c) => {
                    let (a, b, mut c) = (self.get::<T>(a), self.get::<T>(b), self.get::<T>(c));
                    for l in 0..LANES {
                        c[l] = T::fma(a[l], b[l], c[l]);
                    }
                    self.set(to, c);
                }
                Micro::Reduce(to, a, lanes) => self.reduce::<T>(to, a, usize::from(lanes)),
                Micro::Store(at, a, lanes) => {
                    let lanes = usize::from(lanes);
                    let (value, to) = (self.get::<T>(a), self.at(at).cast::<T>());
                    match lanes {
                        LANES => to.cast::<[T; LANES]>().write(value),
                        1 => to.write(value[0]),
                        _ => (0..lanes).for_each(|l| to.add(l).write(value[l])),
                    }
                }
            }
        }
    }

    /// # Safety
    /// The guarantees of the module.
    #[inline(always)]
    unsafe fn zip<T: Lane>(&mut self, to: Reg, a: Reg, b: Reg, op: impl Fn(T, T) -> T) {
        // SAFETY: `a` and `b` are defined.
        let (mut a, b) = unsafe { (self.get::<T>(a), self.get::<T>(b)) };
        for l in 0..LANES {
            a[l] = op(a[l], b[l]);
        }
        // SAFETY: `to` is a register.
        unsafe { self.set(to, a) }
    }

    /// Adds neighbours until one lane is left. Registers beyond the first are combined as soon as
    /// they have one sum each, which is the same tree.
    ///
    /// # Safety
    /// The guarantees of the module.
    #[inline(always)]
    unsafe fn reduce<T: Lane>(&mut self, to: Reg, a: Reg, lanes: usize) {
        // SAFETY: the value is defined.
        let first = unsafe { self.get::<T>(a) };
        let mut sum = neighbour_sum(first, lanes.min(LANES));
        if lanes > LANES {
            let mut sums = [T::ZERO; LANES];
            for (r, sum) in sums.iter_mut().enumerate().take(lanes / LANES) {
                // SAFETY: the value takes consecutive registers from `a` on.
                *sum = neighbour_sum(unsafe { self.get::<T>(a + r as Reg) }, LANES);
            }
            sum = neighbour_sum(sums, lanes / LANES);
        }
        let mut result = [T::ZERO; LANES];
        result[0] = sum;
        // SAFETY: `to` is a register.
        unsafe { self.set(to, result) }
    }

    /// # Safety
    /// The guarantees of the module, for every trip.
    #[inline(always)]
    unsafe fn mac(&mut self, mac: &Mac) {
        let trips = self.limit(mac.hi).saturating_sub(self.limit(mac.lo)).max(0) as u64;
        let walk = Walk {
            trips: trips.saturating_mul(u64::from(mac.unroll)),
            // SAFETY: both are buffers of the call.
            h: unsafe { self.at(mac.h) },
            // SAFETY: the same.
            x: unsafe { self.at(mac.x) },
            h_step: mac.h_step as isize,
            x_step: mac.x_step as isize,
            h_acc: mac.h_acc as isize,
            x_acc: mac.x_acc as isize,
            acc_stride: usize::from(mac.acc_stride),
        };
        // SAFETY: the accumulators are registers written before; the loop replaced accesses
        // exactly the addresses of the walk, which the verifier proved to lie in the buffers.
        unsafe { (mac.body)(self.file.add(usize::from(mac.acc)).cast(), &walk) }
    }

    /// # Safety
    /// The guarantees of the module, for every tile and term.
    #[inline(always)]
    unsafe fn tile(&mut self, tile: &Tile) {
        // SAFETY: all three are buffers of the call; the loops replaced access exactly the
        // addresses of the walk, which the verifier proved to lie in them.
        unsafe {
            let (y, own, shared) = (self.at(tile.y), self.at(tile.own), self.at(tile.shared));
            (tile.body)(&tile.walk, y, own, shared);
        }
    }
}

/// The first `lanes` elements, +0 above.
///
/// # Safety
/// They are readable and aligned.
#[inline(always)]
unsafe fn load<T: Lane>(from: *const T, lanes: usize) -> [T; LANES] {
    if lanes == LANES {
        // SAFETY: eight elements are readable.
        return unsafe { from.cast::<[T; LANES]>().read() };
    }
    let mut value = [T::ZERO; LANES];
    for (l, lane) in value.iter_mut().enumerate().take(lanes) {
        // SAFETY: `lanes` elements are readable.
        *lane = unsafe { from.add(l).read() };
    }
    value
}

/// Sum of the first `lanes` lanes, a power of two of at most eight, by the neighbour tree.
#[inline(always)]
fn neighbour_sum<T: Lane>(v: [T; LANES], lanes: usize) -> T {
    match lanes {
        1 => v[0],
        2 => v[0] + v[1],
        4 => (v[0] + v[1]) + (v[2] + v[3]),
        _ => ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])),
    }
}
