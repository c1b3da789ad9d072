// fresh/lakes.py, for Stan
data {
  int years;
  int lakes;
  vector[years] inflow;
  array[years] vector[lakes] phosphorus;
}
parameters {
  real<lower=0> gain;
  real<lower=0> sigma;
}
model {
  real level = 0.0;
  gain ~ lognormal(0.0, 0.3);
  sigma ~ normal(0.0, 0.4);
  for (t in 1:years) {
    level = 0.7 * level + gain * inflow[t];
    phosphorus[t] ~ lognormal(level, sigma);
  }
}
