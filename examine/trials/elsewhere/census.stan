// fresh/census.py, for Stan
data {
  int n;
  int m;
  array[n, m] int people;
  array[n, m] int income;
  vector[n] spending;
}
transformed data {
  vector[n] mean_income;
  for (i in 1:n) {
    int total = 0;
    for (j in 1:m) {
      total += people[i, j] * income[i, j];
    }
    mean_income[i] = total * 1.0 / sum(people[i]) / 1e4;
  }
}
parameters {
  real base;
  real share;
  real<lower=0> sigma;
}
model {
  base ~ normal(0.0, 1.0);
  share ~ normal(0.5, 0.2);
  sigma ~ normal(0.0, 0.5);
  spending ~ normal(base + share * mean_income, sigma);
}
