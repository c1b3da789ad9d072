// fresh/dose.py, for Stan
data {
  int n;
  vector[n] dose;
  vector[n] cells;
}
parameters {
  real<lower=0> top;
  real<lower=0> power;
  real<lower=0> half;
  real<lower=0> sigma;
}
model {
  top ~ lognormal(1.0, 0.3);
  power ~ lognormal(0.0, 0.4);
  half ~ lognormal(0.0, 0.5);
  sigma ~ normal(0.0, 0.5);
  for (i in 1:n) {
    real ratio = dose[i] > 0 ? exp(power * log(dose[i] / half)) : 0.0;
    cells[i] ~ normal(top * ratio / (1 + ratio), sigma);
  }
}
