//! When the tasks of a spread plan run: a table made once, read once a commit.
//!
//! Every level has the whole of its period for its tasks. The table is the outcome of a simulation over
//! one period of the largest level: at each step the level whose period ends first goes first, tasks run
//! while the step's share of the total cost lasts, what is left of the share is kept for a task too large
//! for one step, and in the last step of its period a level does what remains. So no step costs much more
//! than the mean and the largest task, and every period is done in time whatever the costs are.

/// For each step of the largest period and each level, how many tasks are done when the step ends.
pub(crate) struct Timetable {
    levels: usize,
    period: usize,
    until: Vec<u32>,
}

/// A level as the table sees it.
pub(crate) struct Load<'a> {
    /// Steps in its period.
    pub(crate) block: usize,
    /// Cost of each task.
    pub(crate) costs: &'a [f64],
}

impl Timetable {
    /// Lays out the tasks of `loads`, the smallest period first, each dividing the next.
    pub(crate) fn new(loads: &[Load<'_>]) -> Self {
        let period = loads.iter().map(|load| load.block).max().unwrap_or(1);
        let total = |load: &Load<'_>| load.costs.iter().sum::<f64>() / load.block as f64;
        let share: f64 = loads.iter().map(total).sum();
        let mut until = Vec::with_capacity(period * loads.len());
        let mut done = vec![0usize; loads.len()];
        let mut saved = 0.0;
        for step in 0..period {
            saved += share;
            for (load, done) in loads.iter().zip(&mut done) {
                if step % load.block == 0 {
                    *done = 0;
                }
                if (step + 1) % load.block == 0 {
                    saved -= load.costs[*done..].iter().sum::<f64>();
                    *done = load.costs.len();
                }
            }
            for (load, done) in loads.iter().zip(&mut done) {
                while let Some(&cost) = load.costs.get(*done)
                    && cost / 2.0 <= saved
                {
                    saved -= cost;
                    *done += 1;
                }
                // A task that waits for its share must not be overtaken for ever by later ones.
                if *done < load.costs.len() {
                    break;
                }
            }
            until.extend(done.iter().map(|&done| done as u32));
        }
        Timetable {
            levels: loads.len(),
            period,
            until,
        }
    }

    /// For each level, the tasks done when the step that makes the time `time` ends.
    pub(crate) fn row(&self, time: u64) -> &[u32] {
        let row = (time % self.period as u64) as usize * self.levels;
        &self.until[row..row + self.levels]
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.until.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cost of each step of a table.
    fn per_step(loads: &[Load<'_>], table: &Timetable) -> Vec<f64> {
        let mut before = vec![0usize; loads.len()];
        (0..table.period)
            .map(|step| {
                let mut cost = 0.0;
                for (i, load) in loads.iter().enumerate() {
                    if step % load.block == 0 {
                        assert!(step == 0 || before[i] == load.costs.len(), "late");
                        before[i] = 0;
                    }
                    let until = table.row(step as u64)[i] as usize;
                    assert!(until >= before[i]);
                    cost += load.costs[before[i]..until].iter().sum::<f64>();
                    before[i] = until;
                }
                cost
            })
            .collect()
    }

    #[test]
    fn equal_tasks_lie_evenly_and_are_done_in_time() {
        let loads = [
            Load {
                block: 4,
                costs: &[1.0; 8],
            },
            Load {
                block: 16,
                costs: &[1.0; 32],
            },
        ];
        let costs = per_step(&loads, &Timetable::new(&loads));
        assert_eq!(costs.iter().sum::<f64>(), 4.0 * 8.0 + 32.0);
        // The share of a step is 4; rounding to whole tasks moves at most one either way.
        assert!(costs.iter().all(|&c| (3.0..=5.0).contains(&c)), "{costs:?}");
    }

    #[test]
    fn a_large_task_costs_its_own_and_not_much_more() {
        let large = [20.0, 20.0, 1.0, 1.0, 1.0, 1.0];
        let loads = [
            Load {
                block: 4,
                costs: &[1.0; 4],
            },
            Load {
                block: 64,
                costs: &large,
            },
        ];
        let costs = per_step(&loads, &Timetable::new(&loads));
        let most = costs.iter().copied().fold(0.0, f64::max);
        assert!(most <= 24.0, "{costs:?}");
        let last = costs[63];
        assert!(last <= 5.0, "{costs:?}");
    }

    #[test]
    fn a_level_without_tasks_takes_no_part() {
        let loads = [
            Load {
                block: 4,
                costs: &[],
            },
            Load {
                block: 8,
                costs: &[3.0; 8],
            },
        ];
        let costs = per_step(&loads, &Timetable::new(&loads));
        assert_eq!(costs, [3.0; 8]);
    }
}
